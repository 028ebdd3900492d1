import type { Clock as ClockPort } from '../contracts/clock.js'
import { InjectionToken } from './token.js'

/** Returns the time, and calls functions later; see the members. */
export type Clock = ClockPort

/**
 * The token of the application's clock: real time, and in a `TestApp` the time that `app.clock` moves. Everything in
 * the framework that waits or expires uses it. Use it in your code, too, so that a test can move the time.
 *
 * @example
 * class Sessions {
 *   private readonly clock = inject(Clock)
 *   expiresAt = () => new Date(this.clock.now() + 15 * 60_000)
 * }
 */
export const Clock: InjectionToken<Clock> = new InjectionToken<Clock>('Clock')
