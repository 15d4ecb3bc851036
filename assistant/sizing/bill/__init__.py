"""What is ordered, the checks that its counts agree, and what it costs at given prices."""
