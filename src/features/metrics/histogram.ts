/** A measured value that belongs to a trace, for one bucket. */
export interface Exemplar {
  readonly traceId: string
  readonly value: number
  /** Seconds since 1970. */
  readonly at: number
}

/** The values of one series of a histogram: how many were at most each bound, and their sum. */
export class Histogram {
  /** The labels of the series as text, without braces: `method="GET"`. */
  readonly labels: string
  /** How many values fell into each bucket, not cumulative. The last bucket has no upper bound. */
  readonly counts: Float64Array
  /** The latest exemplar of each bucket; `null` until there is one. */
  exemplars: (Exemplar | undefined)[] | null = null
  sum = 0
  readonly #bounds: Float64Array

  /**
   * @param labels The labels as text.
   * @param bounds The upper bounds of the buckets, ascending.
   */
  constructor(labels: string, bounds: Float64Array) {
    this.labels = labels
    this.#bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  /**
   * Counts a value.
   *
   * @returns the number of its bucket.
   */
  observe(value: number): number {
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1
    this.counts[bucket] = (this.counts[bucket] as number) + 1
    this.sum += value
    return bucket
  }

  /** Keeps an exemplar for a bucket, in place of an earlier one. */
  keep(bucket: number, exemplar: Exemplar): void {
    this.exemplars ??= new Array(this.counts.length)
    this.exemplars[bucket] = exemplar
  }
}
