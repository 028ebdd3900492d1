// @ts-expect-error: the package has no types.
import { parse } from 'cookie'
import { unsignValue } from '../../http/signed-cookie.js'
import type { StepFactory } from '../../step/step.js'

// Express depends on the same version of this package, so only one copy is installed.
const parseHeader: (header: string) => Record<string, string> = parse

/** The configuration for reading a route's cookies. */
export interface CookiesConfig {
  /** The names of the cookies that must be signed. */
  readonly signed: readonly string[]
  /** The signature keys, newest first. */
  readonly keys: readonly string[]
}

/**
 * Parses the cookies of a request into `req.cookies`, an object without a prototype. A cookie that must be signed is
 * omitted if its signature is missing or invalid, so that a client cannot send an unsigned value. A signed cookie that
 * was set as an object is parsed into an object.
 */
export function cookiesStage({ signed, keys }: CookiesConfig): StepFactory {
  return (next) =>
    function parseCookies(req, res) {
      const sent = parseHeader(req.headers.cookie ?? '')
      const cookies: Record<string, unknown> = Object.assign(Object.create(null), sent)
      for (const name of signed) {
        const value = unsignValue(name, sent[name], keys)
        if (value === undefined) delete cookies[name]
        else cookies[name] = value
      }
      req.cookies = cookies
      return next(req, res)
    }
}
