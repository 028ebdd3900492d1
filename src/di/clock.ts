import type { Clock as ClockPort } from '../contracts/clock.js'
import { InjectionToken } from './token.js'

/** Tells the time and waits; see the members. */
export type Clock = ClockPort

/**
 * The token of the application's clock: real time, and in a `TestApp` the time that `app.clock` moves. Everything in
 * the framework that waits or expires uses it. Your code should use it too, where a test moves the time.
 *
 * @example
 * class Sessions {
 *   private readonly clock = inject(Clock)
 *   expiresAt = () => new Date(this.clock.now() + 15 * 60_000)
 * }
 */
export const Clock: InjectionToken<Clock> = new InjectionToken<Clock>('Clock')
