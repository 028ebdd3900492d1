import type { DualClassOrMethodDecorator, DualMethodDecorator } from '../contracts/decorator.js'
import type { ResponseFieldsMode } from '../contracts/operation.js'
import type { Produced } from '../contracts/representation.js'
import type { EnvelopeChoice } from '../contracts/wire-format.js'
import { classOrMethod, methodOnly, refuseBare } from './write.js'

/**
 * Sets the status of responses that are created from the returned value or with `this.ok` without a status. A handler
 * that sends the response with `res` sets the status itself.
 *
 * @param status The status: 200 to 399.
 * @example
 * @HttpCode(202)
 * @Post()
 * enqueue(req: Request) { return jobs.add(req.body) }
 */
export function HttpCode(status: number): DualMethodDecorator
export function HttpCode(status: number, ...rest: unknown[]): DualMethodDecorator {
  refuseBare('@HttpCode', status, rest[0])
  return methodOnly('@HttpCode()', { kind: 'status', status })
}

/**
 * Sets a response header before the handler runs, so that the handler can still change it.
 *
 * @example
 * @Header('Cache-Control', 'no-store')
 */
export function Header(name: string, value: string): DualMethodDecorator {
  refuseBare('@Header', name, value)
  return methodOnly('@Header()', { kind: 'header', name, value })
}

/**
 * Redirects the client after the handler has returned without sending a response.
 *
 * @param url A path or an absolute URL. Never build it from user input.
 * @param status 301, 302, 303, 307 or 308. Default: 302.
 * @example
 * @Get('docs')
 * @Redirect('/api-docs', 308)
 * docs() {}
 */
export function Redirect(url: string, status: number = 302): DualMethodDecorator {
  refuseBare('@Redirect', url, status)
  return methodOnly('@Redirect()', { kind: 'redirect', url, status })
}

/**
 * Chooses the envelope around the data of success responses, for one method or for all methods of a class. `@Envelope`
 * on a method overrides `@Envelope` on the class, which overrides the application's `envelope` option. The document,
 * the generated client, and contract checks in tests use the chosen envelope.
 *
 * @param envelope `true`: the framework's own envelope. `false`: no envelope, so the value that the handler returns is
 * the whole body. An {@link EnvelopeFormat}: a custom envelope, which may include an error format.
 * @example
 * @Envelope(false)
 * @Get('.well-known/jwks.json')
 * keys() { return { keys: publicKeys } }
 */
export function Envelope(envelope: EnvelopeChoice): DualClassOrMethodDecorator
export function Envelope(envelope: EnvelopeChoice, ...rest: unknown[]): DualClassOrMethodDecorator {
  refuseBare('@Envelope', envelope, rest[0])
  return classOrMethod('@Envelope()', { kind: 'envelope', envelope })
}

/**
 * Declares the media types of the data in success responses, for one method or for all methods of a class. The request's
 * `Accept` header selects the type (RFC 9110, 12.5.1). Among equally preferred types, and without `Accept`, the first
 * type is used. A client that accepts no declared type receives a 406 response. The responses have `Vary: Accept`, and
 * the cache stores each representation separately.
 *
 * @param produced JSON types as strings, which are sent in the route's envelope; `'text/csv'` for a list of objects,
 * see {@link csv} for its options; for every other type, a {@link Representation} with the function that serializes the
 * data.
 * @example
 * @Produces('application/json', 'text/csv')
 * @Get('export')
 * export() { return orders.all() }
 */
export function Produces(...produced: readonly Produced[]): DualClassOrMethodDecorator {
  refuseBare('@Produces', produced[0], produced[1])
  return classOrMethod('@Produces()', { kind: 'produces', entries: produced })
}

/**
 * Sets how to handle JSON response fields that are not in the documented schema, for every route of a class, or for one
 * method. `@ResponseFields` on a method overrides `@ResponseFields` on the class, which overrides the application's
 * `responses` option.
 *
 * @param mode `'send'`: the fields are sent. `'strip'`: the fields are removed. `'check'`: the client receives a 500
 * response instead, and the route and the field are logged.
 * @example
 * @ResponseFields('strip')
 * @ApiResponseDoc({ status: 200, description: 'The user', schema: User })
 * @Get(':id')
 * getById(req: Request) { return users.find(req.params.id) }
 */
export function ResponseFields(mode: ResponseFieldsMode): DualClassOrMethodDecorator
export function ResponseFields(
  mode: ResponseFieldsMode,
  ...rest: unknown[]
): DualClassOrMethodDecorator {
  refuseBare('@ResponseFields', mode, rest[0])
  return classOrMethod('@ResponseFields()', { kind: 'responseFields', mode })
}
