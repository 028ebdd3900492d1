import type { DualClassOrMethodDecorator, DualMethodDecorator } from '../contracts/decorator.js'
import type { ResponseFieldsMode } from '../contracts/operation.js'
import type { Produced } from '../contracts/representation.js'
import type { EnvelopeChoice } from '../contracts/wire-format.js'
import { classOrMethod, methodOnly, refuseBare } from './write.js'

/**
 * Sets the status of a response that is made from the returned value, and of `this.ok` when that is called without a
 * status. A handler that sends the response with `res` sets the status itself.
 *
 * @param status 200 to 399.
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
 * Sets a header of the response before the handler runs, so that the handler may still change it.
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
 * @param status 301, 302, 303, 307 or 308. Default 302.
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
 * Chooses the envelope around the data of success responses, for one method or for all methods of a class. A method's
 * own decorator replaces the decorator of its class, which replaces the option `envelope` of the application. The
 * document, the client and the checks of tests follow.
 *
 * @param envelope `true`: the framework's envelope. `false`: bare data, so the value that the handler returns is the
 * whole body. An {@link EnvelopeFormat}: an envelope of your own, which may also have the format of errors.
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
 * Names the media types in which the data of successes can be sent, for one method or for all methods of a class.
 * `Accept` of the request chooses (RFC 9110, 12.5.1); of equally preferred types, and without `Accept`, the first. A
 * client that accepts none gets a 406. The responses have `Vary: Accept`, and the cache keeps each representation
 * apart.
 *
 * @param produced JSON types as text, sent in the envelope of the route. `'text/csv'`, for a list of objects; see
 * {@link csv} for its options. Every other type with the function that writes it: a {@link Representation}.
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
 * Sets how to treat fields of JSON responses that their documented schema does not name: for every route of a class, or
 * for one method. A decorator on a method replaces the decorator on its class, which replaces the `responses` option of
 * the application.
 *
 * @param mode `'send'`: they are sent. `'strip'`: they are dropped. `'check'`: the response is replaced by a 500, and
 * the log names the route and the field.
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
