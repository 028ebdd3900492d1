import type { Clock as ClockPort } from '../contracts/clock.js'
import { InjectionToken } from './token.js'

/** What tells time and waits; see the members. */
export type Clock = ClockPort

/**
 * The clock of the application: real time, and in a `TestApp` the one that `app.clock` moves. Everything
 * in the framework that waits or expires asks it, and so should what has to be tested.
 *
 * @example
 * class Sessions {
 *   private readonly clock = inject(Clock)
 *   expiresAt = () => new Date(this.clock.now() + 15 * 60_000)
 * }
 */
export const Clock: InjectionToken<Clock> = new InjectionToken<Clock>('Clock')
