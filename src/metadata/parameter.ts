import type { LegacyParameterDecorator, UserDecorator } from '../contracts/decorator.js'
import type { RequestInputs, Req as TypedRequest } from '../contracts/handler.js'
import type { ParameterSource } from '../contracts/route-model.js'
import { decorator, refuseArguments } from './write.js'

function parameter(source: ParameterSource, name: string): LegacyParameterDecorator {
  return decorator(name, { parameter: (index) => [{ kind: 'parameter', index, source }] })
}

/**
 * The request of a handler, typed from its schemas: `Req<{ body: typeof CreateUser }>`. With `auth: true`, its user is
 * never `undefined`.
 */
export type Req<TInputs extends RequestInputs = Record<never, never>> = TypedRequest<TInputs>

/** Passes the request to a handler parameter (legacy dialect). @example get(@Req() req: Request) {} */
// biome-ignore lint/suspicious/noRedeclare: a type and a decorator share the name
export function Req(): LegacyParameterDecorator
export function Req(...args: unknown[]): LegacyParameterDecorator {
  refuseArguments('@Req', args)
  return parameter('req', '@Req()')
}

/**
 * Passes the response to a handler parameter (legacy dialect). A handler with this parameter that returns nothing
 * must send the response itself.
 *
 * @example
 * get(@Res() res: Response) { res.json(1) }
 */
export function Res(): LegacyParameterDecorator
export function Res(...args: unknown[]): LegacyParameterDecorator {
  refuseArguments('@Res', args)
  return parameter('res', '@Res()')
}

/**
 * Passes `req.user` to a handler parameter (legacy dialect). The type of the parameter is `User`, a type that has more
 * fields, or a wider type; on a route that is not protected, also `undefined`. Any other type is a compile error.
 *
 * @example
 * me(@CurrentUser() user: User) { return user }
 */
export function CurrentUser(): UserDecorator
export function CurrentUser(...args: unknown[]): unknown {
  refuseArguments('@CurrentUser', args)
  return parameter('user', '@CurrentUser()')
}
