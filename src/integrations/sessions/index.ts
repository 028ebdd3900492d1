/**
 * Sessions in a cookie: a guard and a plugin, with protection against requests from other sites.
 *
 * @module blazon/sessions
 */

export { SetsSession } from './cross-origin.js'
export type { SessionManager, SessionOwner, SessionRow } from './manager.js'
export { type MemorySessionsOptions, memorySessions } from './memory-sessions.js'
export type { Session, SessionUser } from './session.js'
export { type Sessions, sessions } from './sessions.js'
export type { SessionCookieOptions, SessionSchema, SessionsOptions } from './sessions-options.js'
