"""Rates of embedding and speech against what was published, and that they say how little is known."""

from __future__ import annotations

import pytest

from assistant.sizing.serving.loads.encoders import EncoderRequest, estimate_encoder
from assistant.sizing.serving.loads.media import MediaRate, MediaRequest, estimate_media
from knowledge.errors import BadInput
from tests.shared import catalogue


def test_published_rate_lies_in_the_band() -> None:
    """spheron.network on text-embeddings-inference: BGE-M3 sustains 60,000 tokens/s on one A100 80GB PCIe."""
    found = estimate_encoder(EncoderRequest(model="bge-m3", gpu="a100 pcie 80gb", tokens_per_text=512), catalogue())
    assert found.tokens_per_s_p10 < 60_000 < found.tokens_per_s_p90
    assert found.basis == "extrapolated"


def test_arithmetic_by_hand() -> None:
    """bge-large: 24 layers of 12 x 1,024^2 parameters = 302e6; with attention at 512 tokens 0.65 GFLOP a token; 70
    TFLOP/s dense of an A10G: 107 thousand tokens a second at peak. The best published server comes to 62,100 tokens/s
    of 121 TFLOP/s on an L4, 0.33 of the peak.
    """
    found = estimate_encoder(EncoderRequest(model="bge-large-en-v1.5", gpu="a10g", tokens_per_text=512), catalogue())
    assert found.tokens_per_s_p90 / (62_100 * 0.65e9 / 121e12) == pytest.approx(107_000, rel=0.05)
    assert found.tokens_per_s_p10 < found.tokens_per_s < found.tokens_per_s_p90
    assert found.texts_per_s == pytest.approx(found.tokens_per_s / 512)


def test_unknown_card() -> None:
    with pytest.raises(BadInput):
        estimate_encoder(EncoderRequest(model="bge-m3", gpu="no such card", tokens_per_text=100), catalogue())


def media(task: str, params_b: float, gpu: str, family: str | None = None) -> MediaRate:
    asked = {"task": task, "params_b": params_b, "gpu": gpu, "family": family}
    return estimate_media(MediaRequest.model_validate(asked), catalogue())


@pytest.mark.parametrize(
    ("task", "params_b", "gpu", "family", "published"),
    [
        # Held out of the data: faster-whisper's README of v1.1, large-v2, FP16, beam 5, 13 minutes on an RTX 3070 Ti
        # (0.608 TB/s): 63 s a file, 17 s in batches of 8. An RTX 3080 10GB has 0.76 TB/s: 15.5 and 57 times real time.
        ("asr_file", 1.543, "rtx-3080-10gb", "whisper", 780 / 63 * 0.76 / 0.608),
        ("asr_batch", 1.543, "rtx-3080-10gb", "whisper", 780 / 17 * 0.76 / 0.608),
        # gigagpu.com, one file of ten minutes: RTX 4060 Ti 7.7 times real time.
        ("asr_file", 1.543, "rtx-4060-ti-16gb", "whisper", 7.7),
        # gigagpu.com, Kokoro: 30.5 requests of about 3 s a second on an RTX 5080.
        ("tts_live", 0.082, "rtx-5080", "small", 91.5),
    ],
)
def test_published_speech_lies_within_twice_the_band(
    task: str, params_b: float, gpu: str, family: str, published: float
) -> None:
    found = media(task, params_b, gpu, family)
    assert found.audio_s_per_s_p10 / 2 < published < found.audio_s_per_s_p90 * 2


def test_live_streams_cost_far_more_than_recordings() -> None:
    """A maintainer of WhisperLive: 36 clients of Whisper small on an RTX 4090; in batches it reads hundreds."""
    live, batch = media("asr_live", 0.244, "rtx-4090", "whisper"), media("asr_batch", 0.244, "rtx-4090", "whisper")
    assert live.audio_s_per_s_p10 < 36 < live.audio_s_per_s_p90
    assert batch.audio_s_per_s > 5 * live.audio_s_per_s


def test_a_rate_says_what_it_rests_on() -> None:
    here, elsewhere = media("asr_batch", 0.809, "h100", "whisper"), media("asr_batch", 0.809, "l40s", "whisper")
    assert (here.basis, elsewhere.basis) == ("calibrated", "extrapolated")
    assert "inferencebench-whisper" in here.sources
    assert here.audio_s_per_s_p10 < 404 < here.audio_s_per_s_p90


def test_every_published_rate_names_a_card_and_a_source() -> None:
    for point in catalogue().entries("throughputs").values():
        assert catalogue().accelerator(point.gpu).id == point.gpu
        assert point.rate.sources
