import type { StreamDecorator } from '../contracts/decorator.js'
import type { RouteParameter } from '../contracts/extensions.js'
import type { Fact } from '../contracts/facts.js'
import type { SseOptions, StreamKind, StreamOptions } from '../contracts/representation.js'
import type { InferOutput, Schema } from '../contracts/schema.js'
import { defineParameter } from './parameter.js'
import { decorator, refuseBare } from './write.js'

/**
 * Sends the values that an `async function*` yields as Server-Sent Events (`text/event-stream`). Each value becomes the
 * JSON data of one event. Use {@link sseEvent} to set the event's ID. The first item is requested before the response
 * head is sent, so an error before this item results in an ordinary error response. A later error is sent as an event
 * of the type `error`. An event of the type `end` follows the last item.
 *
 * The generator ends, and its `finally` runs, when the client disconnects, when the application closes, and at
 * `maxAge`. Pass `req.signal` to everything that the generator awaits.
 *
 * @param item The schema of each item. The document and the generated client contain the schema, and tests check items
 * against it.
 * @param options `heartbeat` (default: `'15s'`) and `maxAge` (default: none), in seconds or as a string with a unit.
 * @see HTML Living Standard, 9.2 (Server-sent events)
 * @example
 * @Get('feed')
 * @Sse(Order)
 * async *feed(req: Request) {
 *   for await (const [order] of on(changes, 'order', { signal: req.signal })) yield order
 * }
 */
export function Sse<S extends Schema>(
  item: S,
  options?: SseOptions,
): StreamDecorator<InferOutput<S>>
export function Sse(...args: unknown[]): StreamDecorator<unknown> {
  return stream({ kind: 'sse', name: '@Sse' }, args)
}

/**
 * Sends the values that an `async function*` yields as lines of JSON (`application/jsonl`). The first item is requested
 * before the response head is sent, so an error before this item results in an ordinary error response. A later error
 * closes the connection, because the format cannot represent errors. The client then detects that the response is
 * incomplete.
 *
 * With `@Sse` on the same method, the client selects the format with `Accept`, and receives a 406 response if it
 * accepts neither format.
 *
 * @param item The schema of each item, the same as for `@Sse`.
 * @param options `maxAge` (default: none), in seconds or as a string with a unit.
 * @see https://jsonlines.org
 * @example
 * @Get('export')
 * @JsonLines(Order)
 * async *export() {
 *   for (let after = 0; ; ) {
 *     const page = await orders.after(after)
 *     if (page.length === 0) return
 *     yield* page
 *     after = page.at(-1).id
 *   }
 * }
 */
export function JsonLines<S extends Schema>(
  item: S,
  options?: StreamOptions,
): StreamDecorator<InferOutput<S>>
export function JsonLines(...args: unknown[]): StreamDecorator<unknown> {
  return stream({ kind: 'jsonLines', name: '@JsonLines' }, args)
}

function stream(
  { kind, name }: { readonly kind: StreamKind; readonly name: string },
  args: readonly unknown[],
): StreamDecorator<unknown> {
  refuseBare(name, args[0], args[1])
  const [item, options] = args as [Schema, SseOptions | undefined]
  const fact: Fact = { kind: 'stream', format: kind, item, options }
  return decorator(`${name}()`, { method: fact }) as StreamDecorator<unknown>
}

/**
 * Defines a parameter for the `Last-Event-ID` header of a client that reconnects: the ID of the last event that the
 * client received. The decorator documents and validates the header. Use it on a method or, in the legacy dialect, on a
 * handler parameter.
 *
 * @param schema Converts and checks the header. It must accept `undefined`, because the first request has no ID.
 * @returns a decorator with `of(req)`, like the result of {@link defineParameter}.
 * @see HTML Living Standard, 9.2.4 (the `Last-Event-ID` header)
 * @example
 * const LastSeen = lastEventId(z.coerce.number().int().optional())
 *
 * @LastSeen()
 * @Sse(Order)
 * @Get('feed')
 * async *feed(req: Request) {
 *   yield* orders.since(LastSeen.of(req) ?? 0)
 * }
 */
export function lastEventId<S extends Schema>(schema: S): RouteParameter<InferOutput<S>> {
  // Node provides header names in lower case.
  const read = ({ headers }: { readonly headers: object }) =>
    (headers as Record<string, unknown>)['last-event-id']
  return defineParameter(read, { in: 'header', name: 'last-event-id', schema })
}
