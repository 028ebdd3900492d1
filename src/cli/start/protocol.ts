import type { Socket } from 'node:net'
import type { MetricsSnapshot, WorkerSnapshot } from '../../contracts/worker.js'

/** A message of a worker to the primary. `app` numbers the applications of a process that have metrics. */
export type WorkerMessage =
  /** An application starts. `listens` follows when all do that the program starts, and `ready` when they are ready. */
  | { readonly kind: 'starts' }
  | { readonly kind: 'listens' }
  | { readonly kind: 'ready' }
  /** Asks whether the primary has seen that the server was closed. */
  | { readonly kind: 'left'; readonly id: number }
  /** An application has metrics, which can be read from now on. */
  | { readonly kind: 'shares'; readonly app: number }
  /** Asks for the metrics of all workers, and gives its own. */
  | {
      readonly kind: 'gather'
      readonly id: number
      readonly app: number
      readonly snapshot: MetricsSnapshot
    }
  /** The reply to `read`. */
  | {
      readonly kind: 'snapshot'
      readonly app: number
      readonly snapshot: MetricsSnapshot | null
      readonly id: number
    }
  /** Comes with a connection, for the server that listens at this place in another worker. */
  | { readonly kind: 'pass'; readonly server: string }
  /** The last metrics of an application that ends. */
  | { readonly kind: 'last'; readonly app: number; readonly snapshot: MetricsSnapshot }

/** A message of the primary to a worker. */
export type PrimaryMessage =
  /** Another worker has taken the place: close. */
  | { readonly kind: 'retire' }
  | { readonly kind: 'end'; readonly signal: NodeJS.Signals }
  /** Comes with a connection, for the server that listens at this place. */
  | { readonly kind: 'connection'; readonly server: string }
  | { readonly kind: 'left'; readonly id: number }
  | { readonly kind: 'read'; readonly id: number; readonly app: number }
  | {
      readonly kind: 'gathered'
      readonly id: number
      readonly snapshots: readonly WorkerSnapshot[]
    }

/** Marks our messages: the application may use the same channel. */
export interface Envelope<T> {
  readonly blazon: T
}

/** The message of an envelope; `undefined` for messages of other code. */
export function opened<T>(message: unknown): T | undefined {
  return (message as Partial<Envelope<T>> | null)?.blazon
}

/** The environment variable that tells a process that it is a worker: a {@link WorkerPlace} as JSON. */
export const PLACE_VARIABLE = 'BLAZON_WORKER'

/** What a worker knows from the beginning. */
export interface WorkerPlace {
  /** How many workers there are. */
  readonly workers: number
  /** Whether it logs what holds for all. */
  readonly isSpeaker: boolean
}

/** Node's handle of a connection, which its types do not describe. */
interface Handled extends Socket {
  readonly _handle?: { readStop(): void } | null
}

/** Leaves the next bytes of a connection to the process that it is sent to. */
export function stopReading(socket: Handled): void {
  socket._handle?.readStop()
}
