"""Solutions of the exercises on the scale of scores."""


# [ScaledBits]
def variance_of_scaled_bits(d, p, r):
    both = p * r
    return both * (1 - both)
# [ScaledBits]


# [DivideByAShift]
def shift(d):
    return d.bit_length() // 2
# [DivideByAShift]


# [CosineLaw]
def keeps_cosine_law(squared_cosine, q, k, factor):
    square = squared_cosine(q, k)
    parallel = all(a * d == b * c for a, c in zip(q, k) for b, d in zip(q, k))
    in_range = 0 <= square <= 1
    return in_range and (square == 1) == parallel and squared_cosine(q, [factor * x for x in q]) == 1
# [CosineLaw]
