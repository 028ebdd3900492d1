import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Metric, MetricSample } from './metrics.js'

/** The values of a metric at one moment, as they pass from one process to another. */
export interface MetricReading extends Pick<Metric, 'name' | 'help' | 'type' | 'workers'> {
  readonly samples: readonly MetricSample[]
}

/** A measured value that belongs to a trace, for one bucket of a histogram. */
export interface ExemplarReading {
  readonly traceId: string
  readonly value: number
  /** Seconds since 1970. */
  readonly at: number
}

/** One series of a histogram. */
export interface HistogramSeries {
  /** The labels as text, without braces. */
  readonly labels: string
  /** How many values fell into each bucket, not cumulative. */
  readonly counts: Float64Array
  readonly sum: number
  readonly exemplars: readonly (ExemplarReading | undefined)[] | null
}

/** A histogram at one moment. */
export interface HistogramReading {
  readonly name: string
  readonly help: string
  /** The upper bounds of the buckets. */
  readonly bounds: Float64Array
  readonly series: readonly HistogramSeries[]
}

/** The text of a registry of `prom-client`, and its gauges that cannot be added up. */
export interface RegistryReading {
  readonly text: string
  readonly each: readonly string[]
}

/** All metrics of an application at one moment. */
export interface MetricsSnapshot {
  readonly metrics: readonly MetricReading[]
  readonly histograms: readonly HistogramReading[]
  /** `null` without a registry. */
  readonly registry: RegistryReading | null
}

/** The metrics of one worker; `worker` is the value of the label, `null` for values of no worker that runs. */
export interface WorkerSnapshot {
  readonly worker: string | null
  readonly snapshot: MetricsSnapshot
}

/** How the metrics of an application reach those of the other workers. */
export interface PeerMetrics {
  /**
   * Returns the metrics of all workers, these among them, and what workers that have ended had counted. It never rejects: a
   * worker that does not answer within a second has the values of its last answer.
   */
  gather(own: MetricsSnapshot): Promise<readonly WorkerSnapshot[]>
  /** Leaves the counts of this worker with the others, before it ends. Never rejects. */
  leave(last: MetricsSnapshot): Promise<void>
}

/** What `blazon start` gives the application of a worker. Without it, an application knows of no other processes. */
export interface WorkerLink {
  /** How many workers there are. */
  readonly workers: number
  /** Whether this worker logs what holds for all of them. */
  readonly isSpeaker: boolean
  /**
   * Runs the start of an application. The worker listens when no start is under way: a program that starts several applications
   * starts each when the one before listens, or all at once.
   */
  starts<T>(start: () => Promise<T>): Promise<T>
  /** A server listens, and gets connections of workers that have been replaced. The worker is ready when all `isReady` are `true`. */
  listens(server: Server, isReady: () => Promise<boolean>): void
  /** Gives a connection, of which nothing is read that is not handled, to the server of another worker that listens at the same place. */
  pass(server: Server, socket: Socket): void
  /** Calls a function when another worker has taken the place of this one. */
  onRetire(retire: () => void): void
  /** Resolves when no connection can be on its way to this process any more. Called after the server was closed. */
  left(): Promise<void>
  /** Lets other workers read the metrics of an application. */
  shareMetrics(read: () => MetricsSnapshot | Promise<MetricsSnapshot>): PeerMetrics
}
