import { InjectionToken } from 'blazon'

/** The clock. Tests put a fixed one in its place. */
export const Now = new InjectionToken<() => Date>('Now')
