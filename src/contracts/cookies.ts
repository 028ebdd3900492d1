import type { Schema } from './schema.js'

/** Options of `@Cookies`. */
export interface CookiesOptions {
  /**
   * The names of the cookies that were set with `signed: true`. One without a valid signature counts as missing. Needs the
   * option `cookies.keys`. Default: none.
   */
  readonly signed?: readonly string[]
}

/** The cookies in the options of a route: `@Get('', { cookies: { schema, signed: ['session'] } })`. */
export interface CookiesDescription extends CookiesOptions {
  /** The schema of the cookies. */
  readonly schema: Schema
}
