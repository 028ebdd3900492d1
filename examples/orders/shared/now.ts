import { InjectionToken } from 'blazon'

/** The clock. Tests replace it with a clock that always returns the same time. */
export const Now = new InjectionToken<() => Date>('Now')
