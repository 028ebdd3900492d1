import type { User } from '../../contracts/handler.js'
import { type OptionNames, refuseUnknown } from '../../errors/option-group.js'

/** Options of `replay`. */
export interface ReplayOptions {
  /** Decides every request: equal seeds send equal requests, apart from their keys. Default: chosen at random. */
  readonly seed?: number
  /** The number of requests for each operation. Default 10. */
  readonly runs?: number
  /** The `operationId`s that are not called. Default: none. */
  readonly skip?: readonly string[]
  /** The user, as with `TestApp.as`. Default: the guard decides by the headers. */
  readonly as?: User | null
  /** Sent with every request. They replace headers of `withAuth` and `withHeaders`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The result of `replay`. */
export interface ReplayReport {
  /** The seed of the run. */
  readonly seed: number
  /** How many writes of each operation were repeated with an equal response, by `operationId`. */
  readonly replayed: Readonly<Record<string, number>>
}

const NAMES: OptionNames<ReplayOptions> = {
  seed: true,
  runs: true,
  skip: true,
  as: true,
  headers: true,
}

/** @throws ConfigError for unknown options. */
export function checkReplayOptions(options: ReplayOptions): void {
  refuseUnknown('replay()', options, NAMES)
}
