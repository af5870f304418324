exercise = "m03-saturation"
mistake = "WRONG_MASK"
because = "what is counted are the units that are not saturated"
next = "saturated means a slope below the limit: turn the comparison round"


def answer(s, limit):
    return (s * (1 - s) >= limit).mean(axis=0)
