import type { Clock } from '../../contracts/clock.js'
import type { Response } from '../../contracts/handler.js'
import type { StreamModel } from '../../contracts/representation.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { isAsyncIterable } from '../../http/async-iterable.js'
import { negotiate } from '../../http/negotiate.js'
import type { BlazonRequest } from '../../http/request.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import { isForbiddenByDefault } from '../../http/send/response-headers.js'
import type { OnError } from '../../step/step.js'
import type { LogFailure } from '../log-failure.js'
import { kindOf } from '../send-success.js'
import { FRAMES, type PrepareItem } from './frames.js'
import { OpenedStream, openStream } from './opened-stream.js'
import { Heartbeats } from './stream-items.js'
import { type OnStreamError, type SendConfig, StreamResponse } from './stream-response.js'

/** The parts that the streams of an application share. */
export interface StreamsConfig {
  readonly clock: Clock
  readonly onError: OnError
  readonly onStreamError: OnStreamError
  readonly log: LogFailure
  /** The request scopes; `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
}

/** The functions of a streaming route. */
export interface CompiledStream {
  /** Whether the client accepts one of the route's formats. */
  readonly isAccepted: (req: BlazonRequest) => boolean
  /** Requests the first item of the iterable that the handler returned. Other values are returned unchanged. */
  readonly open: (value: unknown, req: BlazonRequest, res: Response) => unknown
  /** Sends the handler's result. */
  readonly send: (value: unknown, req: BlazonRequest, res: Response) => void
}

type StreamRoute = Pick<RouteModel, 'name'> & { readonly stream: StreamModel }

/** Returns the function that compiles a route. All routes share the heartbeat timers. */
export function streamCompiler(
  config: StreamsConfig,
): (route: StreamRoute, prepare: PrepareItem) => CompiledStream {
  const beats = new Map<number, Heartbeats>()
  const beatsOf = (ms: number | null): Heartbeats | null => {
    if (ms === null) return null
    const found = beats.get(ms) ?? new Heartbeats(ms, config.clock)
    beats.set(ms, found)
    return found
  }
  const late = (error: unknown, req: BlazonRequest) =>
    config.log(error, req, { status: 500, message: 'A stream failed after its response had ended' })
  return ({ name, stream: { formats } }, prepare) => {
    const byType = new Map(
      formats.map(({ kind, maxAgeMs, heartbeatMs }): [string, SendConfig] => {
        const frames = FRAMES[kind]
        const heartbeats = beatsOf(heartbeatMs)
        const begin = (res: Response) => beginHead(res, frames.mediaType, formats.length > 1)
        const how = { ...config, name, frames, begin, prepare, maxAgeMs, heartbeats, late }
        return [frames.mediaType, how]
      }),
    )
    return compileOne({ name, byType, config, late })
  }
}

interface OneConfig {
  readonly name: string
  /** The configurations for sending items, by media type. */
  readonly byType: ReadonlyMap<string, SendConfig>
  readonly config: StreamsConfig
  readonly late: SendConfig['late']
}

function compileOne({ name, byType, config, late }: OneConfig): CompiledStream {
  const types = [...byType.keys()]
  const [only] = types
  // If there is only one format, every client receives it, because clients rarely specify the exact type in `Accept`.
  const typeFor = (req: BlazonRequest) =>
    types.length === 1 ? only : negotiate(req.headers.accept, types)
  const surroundings = { scopes: config.scopes, late }
  const sendOpened = (opened: OpenedStream, req: BlazonRequest, res: Response) => {
    const how = byType.get(typeFor(req) ?? (only as string)) as SendConfig
    if (req.method !== 'HEAD') return void new StreamResponse(opened, req, how).send()
    opened.close()
    how.begin(res)
    res.end()
  }
  const open: CompiledStream['open'] = (value, req) =>
    isAsyncIterable(value) ? openStream(value, req, surroundings) : value
  return {
    isAccepted: (req) => typeFor(req) !== undefined,
    open,
    send(value, req, res) {
      if (value instanceof OpenedStream) return sendOpened(value, req, res)
      if (!isAsyncIterable(value)) throw notAsync(name, value)
      // In this case, an interceptor has wrapped the items in its own generator.
      openStream(value, req, surroundings)
        .then((opened) => {
          if (opened.isDone && res.closed) return
          sendOpened(opened, req, res)
        })
        .catch((error) => config.onError(error, req, res))
    },
  }
}

/** @param isNegotiated Whether another client may receive another type from the same URL. */
function beginHead(res: Response, type: string, isNegotiated: boolean): void {
  res.statusCode = 200
  res.setHeader('Content-Type', type)
  // Without `no-transform`, a compressing proxy or middleware would buffer items.
  if (isForbiddenByDefault(res)) res.setHeader('Cache-Control', 'no-store, no-transform')
  else if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-cache, no-transform')
  // Without this header, nginx buffers the response.
  res.setHeader('X-Accel-Buffering', 'no')
  if (isNegotiated) res.vary('Accept')
}

function notAsync(name: string, value: unknown): TypeError {
  return new TypeError(
    `${name} is a stream, but returned ${kindOf(value)}: declare the method as \`async *\`, or return an async iterable.`,
  )
}
