import { defineOption, type RouteModel, type RouteOption } from '../../index.js'
import type { RouteContract } from '../../plugin/index.js'
import { changes } from './cross-origin.js'

/**
 * Documents that the responses of a route set or delete the cookie: for routes that call `login`, `logout` or `set`. It
 * changes nothing else.
 *
 * @example
 * @SetsSession()
 * @Post('login')
 */
export const SetsSession: RouteOption<true, true, 'method'> = defineOption('SetsSession', {
  on: 'method',
})

const SET_COOKIE = {
  'Set-Cookie': {
    description: 'The cookie of the session.',
    schema: { type: 'string' },
  },
} as const

/** Additions of sessions to the operation of a route: the refusal of other origins, and the cookie. */
export function sessionContract(route: RouteModel): RouteContract {
  return {
    ...(changes(route.method) ? { errors: [403] } : {}),
    ...(route.option(SetsSession) === true ? { headers: SET_COOKIE } : {}),
  }
}
