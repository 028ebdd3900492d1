import type { Response } from '../contracts/handler.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { RouteModel } from '../contracts/route-model.js'
import { isAsyncIterable } from '../http/async-iterable.js'
import { representationOf } from '../http/produced-type.js'
import type { BlazonRequest } from '../http/request.js'
import { FileResponse } from '../http/send/file-response.js'
import { type RawBody, toRawBody } from '../http/send/raw-body.js'
import { type RawOptions, sendRaw } from '../http/send/send-raw.js'
import { remedyFor, unsendableKind } from '../schema/fields/to-plain.js'
import type { OnError } from '../step/step.js'
import type { Deadlines } from './deadlines.js'

/** The parts of a route that are needed to send a value that is not ordinary data. */
export interface UnusualConfig {
  readonly route: Pick<RouteModel, 'name' | 'operation' | 'produces'>
  readonly onError: OnError
  /** `null` if handlers have no time limit. */
  readonly deadlines: Deadlines | null
}

/** The request of such a value. */
export interface UnusualTarget {
  readonly req: BlazonRequest
  readonly res: Response
  readonly status: number
}

/**
 * Whether a returned value is text, a number, a boolean, `null`, a list or an object without a class, as nearly all are.
 * For all others, {@link sendUnusual} decides.
 */
export function isOrdinaryData(value: unknown): boolean {
  if (typeof value !== 'object') {
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  }
  if (value === null) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

/**
 * Sends a stream, bytes, a file or a response of the Fetch API as it is. Returns `false`, and sends nothing, for an
 * instance of any other class: its JSON is sent.
 *
 * @throws TypeError for a value that has no form in JSON.
 */
export function sendUnusual(
  value: unknown,
  { route, onError, deadlines }: UnusualConfig,
  { req, res, status }: UnusualTarget,
): boolean {
  const stated = statedFor(route, status)
  const raw = stated?.content === undefined ? toRawBody(value) : toFile(value)
  if (raw !== null) {
    if (raw.kind !== 'bytes') deadlines?.startUntilClosed(req, res)
    const fail = (error: unknown) => onError(error, req, res)
    const types = documentedType(stated, route.produces && representationOf(req)?.type)
    if (raw.kind === 'file') {
      void loadSendFile().then((send) => send(raw.file, { req, res, status, ...types, fail }), fail)
    } else sendRaw(res, raw, { status, ...types, fail })
    return true
  }
  // A representation can write items that come one by one.
  if (route.produces !== null && isAsyncIterable(value) && representationOf(req)?.send) return false
  const kind = unsendableKind(value)
  if (kind === null) return false
  throw new TypeError(
    `${route.name} returned ${kind}, which has no form in JSON: ${remedyFor(kind)}.`,
  )
}

/** Loads the module that sends files with the first of them. */
async function loadSendFile() {
  return (await import('../http/send/send-file.js')).sendFile
}

/** Bytes and a `Blob` of a response that is documented as a file have ranges and conditions as a file has. */
function toFile(value: unknown): RawBody | null {
  const isFile =
    value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof Blob
  if (!isFile) return toRawBody(value)
  return {
    kind: 'file',
    file: new FileResponse({ content: value, options: {}, hasDisposition: false }),
  }
}

type Stated = ApiResponseOptions | undefined

function statedFor({ operation }: UnusualConfig['route'], status: number): Stated {
  return operation.responses.find((response) => response.status === status)
}

/** The media types of bytes that follow from the description of a status. A range of types names none. */
function documentedType(
  stated: Stated,
  chosen: string | null | undefined,
): Pick<RawOptions, 'type' | 'fallback'> {
  const { contentType = chosen ?? undefined, raw } = stated ?? {}
  const isJson = raw === true && contentType === undefined
  return {
    type: contentType === undefined || contentType.includes('*') ? null : contentType,
    fallback: isJson ? 'application/json' : 'application/octet-stream',
  }
}
