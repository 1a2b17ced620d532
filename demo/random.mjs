/** Numbers from 0 up to 1 that are the same at every start (mulberry32), so that two demonstrations look alike. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of a list. */
export const pick = (random, list) => list[Math.floor(random() * list.length)];

/** A whole number around a mean, never negative: close enough to a Poisson distribution for a chart. */
export function around(random, mean) {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * (random() + random() + random() - 1.5) * 2));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

/** The part with this index of a whole number that is split evenly in so many parts. */
export const findPart = (total, index, parts) =>
  Math.floor((total * (index + 1)) / parts) - Math.floor((total * index) / parts);
