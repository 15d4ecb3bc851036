"""The building: power, racks, cooling, air and coolant, floor, energy."""
