import {
  type OutgoingHttpHeaders,
  ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import type { Response } from '../../contracts/handler.js'
import { copyDescriptors } from '../express-parts.js'
import { kAdded, kHeaderLines, kIsFilled, kRemoved, kStatics, kTakes } from '../symbol-fields.js'
import {
  canLeaveAsText,
  canWriteHeaderLines,
  headerKey,
  headerLine,
  type OwnHeaders,
  rememberNames,
  type StaticHeader,
  type StaticHeaders,
} from './wire-text.js'

const node = ServerResponse.prototype
/** Returns the names in their original spelling. In Node's types, only client requests have this method. */
const rawNames = (node as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames

type Own = Response & OwnHeaders

/**
 * Adds headers to a response at minimal cost: unlike after `res.setHeader`, the response can still be sent in one
 * write. Values with the same name are joined with commas (RFC 9110, 5.3), and cookies remain separate. A header that
 * is set in any other way, earlier or later, replaces the added header, except that names in `Vary` are merged. Has no
 * effect once the head has been sent. A header that HTTP does not allow results in a 500 response.
 *
 * @param res A response of a Blazon application.
 * @param list `[name, value, …]`. The response stores the array, so do not change it later.
 * @example
 * addHeaders(res, ['X-Region', region, 'X-Zone', zone])
 */
export function addHeaders(res: Response, list: readonly string[]): void {
  const own = res as Own
  if (own.headersSent) return
  const added = own[kAdded]
  // The first array is used directly, because copying two pairs took 0.3 µs. The array belongs to the caller, so it is
  // never changed.
  if (takesAll(own, list)) own[kAdded] = added === null ? list : [...added, ...list]
  else
    for (let i = 0; i < list.length; i += 2)
      addHeader(own, list[i] as string, list[i + 1] as string)
}

/** Whether all headers in a list are new, so that they can be written unchanged with the head. */
function takesAll(own: Own, list: readonly string[]): boolean {
  if (own[kIsFilled] || own[kRemoved] !== null) return false
  const added = own[kAdded]
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i] as string
    const isNew =
      indexOfHeader(list, name) === i && (added === null || indexOfHeader(added, name) < 0)
    const key = isNew ? own[kTakes]?.(name) : undefined
    if (key === undefined || node.hasHeader.call(own, key)) return false
  }
  return true
}

function addHeader(own: Own, name: string, value: string): void {
  const key = headerKey(name)
  if (key === 'set-cookie') return void own.appendHeader(name, value)
  // If `Vary` lacked a name, a cache would send the response to requests that need a different response.
  if (key === 'vary' && node.hasHeader.call(own, key)) return void own.vary(value)
  const added = own[kAdded] ?? []
  const index = indexOfHeader(added, name)
  const current = own.getHeader(name)
  const isJoined = index >= 0 && current === added[index + 1]
  const isFree = current === undefined || current === own[kStatics]?.get(key)?.value
  if (!isJoined && !isFree) return
  const text = isJoined ? `${current}, ${value}` : value
  own[kAdded] =
    index < 0 ? [...added, name, text] : added.map((each, i) => (i === index + 1 ? text : each))
  own[kRemoved]?.delete(key)
  if (own[kTakes] === undefined) own[kIsFilled] = true
  if (own[kIsFilled] || own[kTakes]?.(name) === undefined) own.setHeader(name, text)
}

/** A change to a header that was added with {@link addHeaders}. */
export interface HeaderChange {
  readonly name: string
  /** The current value; `undefined` if the response does not have the header. */
  readonly from: string | undefined
  /** The new value; `undefined` removes the header. */
  readonly to: string | undefined
}

/** Changes an added header, unless it has since been set in another way, removed or sent. */
export function changeAdded(res: Response, { name, from, to }: HeaderChange): void {
  const own = res as Own
  if (own.headersSent || own.getHeader(name) !== from) return
  const added = own[kAdded] ?? []
  const index = indexOfHeader(added, name)
  if (index >= 0) own[kAdded] = added.filter((_, i) => i !== index && i !== index + 1)
  node.removeHeader.call(own, name)
  if (to !== undefined) addHeaders(own, [name, to])
}

/**
 * Sets the headers that an earlier application added to an adopted response. Adopting the response cleared the field
 * that contained these headers.
 */
export function restoreAdded(res: ServerResponse, added: readonly string[]): void {
  for (let i = 0; i < added.length && !res.headersSent; i += 2) {
    if (!node.hasHeader.call(res, added[i] as string)) {
      node.setHeader.call(res, added[i] as string, added[i + 1] as string)
    }
  }
}

/**
 * Sets all headers of the application by name before the head is written. A middleware of the host, such as
 * `compression`, may have replaced `writeHead`. Its function calls Node's `writeHead`, which does not write these
 * headers.
 */
export function setBeforeHead(res: ServerResponse): void {
  const { writeHead } = res
  res.writeHead = function writeAllHeaders(this: ServerResponse, ...args: unknown[]) {
    this.getHeaders()
    return writeHead.apply(this, args as Parameters<typeof writeHead>)
  }
}

/** Removes added headers that Node refuses to write. */
export function dropUnwritableAdded(res: Response): void {
  const own = res as Own
  const added = own[kAdded]
  if (added === null) return
  const isWritable = (_: unknown, i: number) => canCarry(added[i - (i % 2)], added[i - (i % 2) + 1])
  own[kAdded] = added.filter(isWritable)
}

function canCarry(name: string | undefined, value: string | undefined): boolean {
  try {
    validateHeaderName(name as string)
    validateHeaderValue(name as string, value as string)
    return true
  } catch {
    return false
  }
}

function findAdded({ [kAdded]: added }: OwnHeaders, key: string): string | undefined {
  const index = added === null ? -1 : indexOfHeader(added, key)
  return index < 0 ? undefined : added?.[index + 1]
}

/** Returns the index of a header name in `[name, value, …]`, ignoring case; -1 if it is missing. */
export function indexOfHeader(list: readonly string[], name: string): number {
  for (let i = 0; i < list.length; i += 2) {
    const each = list[i] as string
    if (each === name) return i
    // Compares the length first, because changing the case of a name takes longer than all other work here.
    if (each.length === name.length && each.toLowerCase() === name.toLowerCase()) return i
  }
  return -1
}

/** Makes the static headers visible to all methods that read headers, and writes them with the head. */
export function defineStaticHeaders(prototype: Response, statics: StaticHeaders): void {
  const { byName } = statics
  const find = (res: OwnHeaders, key: string): string | undefined => {
    if (res[kIsFilled] || res[kRemoved]?.has(key)) return undefined
    return findAdded(res, key) ?? byName.get(key)?.value
  }
  const overrides = {
    getHeader(this: Own, name: string) {
      const key = headerKey(name)
      return node.getHeader.call(this, key) ?? find(this, key)
    },
    hasHeader(this: Own, name: string) {
      const key = headerKey(name)
      return node.hasHeader.call(this, key) || find(this, key) !== undefined
    },
    removeHeader(this: Own, name: string) {
      const key = headerKey(name)
      const isOurs = find(this, key) !== undefined
      node.removeHeader.call(this, key)
      if (!isOurs) return
      this[kRemoved] ??= new Set()
      this[kRemoved].add(key)
    },
    appendHeader(this: Own, name: string, value: string | readonly string[]) {
      const key = headerKey(name)
      const found = node.hasHeader.call(this, key) ? undefined : find(this, key)
      if (found !== undefined) node.setHeader.call(this, name, found)
      return node.appendHeader.call(this, name, value)
    },
    getHeaders(this: Own) {
      fill(this, statics)
      return this[kIsFilled] ? node.getHeaders.call(this) : sentHeaders(this, statics)
    },
    getHeaderNames(this: Own) {
      return Object.keys(this.getHeaders())
    },
    getRawHeaderNames(this: Own) {
      fill(this, statics)
      const names = rawNames.call(this)
      if (this[kIsFilled]) return names
      // The head has been sent, so headers that were written as text can no longer be set.
      return [...names, ...linesOf(this, statics).map(([name]) => name)]
    },
    writeHead(this: Own, ...args: Parameters<typeof node.writeHead>) {
      // An earlier call may have thrown before its lines were removed.
      this[kHeaderLines] = ''
      // Node merges the headers in the arguments only with headers that were set. A wrapper can pass `undefined` as the
      // last argument.
      if (hasHeadersIn(args) || !canWriteHeaderLines()) fill(this, statics)
      else prepareHeaderLines(this, statics)
      return node.writeHead.apply(this, args)
    },
  }
  copyDescriptors(prototype, overrides)
  Object.defineProperties(prototype, {
    [kStatics]: { value: byName },
    [kTakes]: { value: nameTest(byName) },
  })
}

/** The headers that the sending functions write themselves, or whose values cannot be joined. */
const OF_SENDING = ['content-type', 'content-length', 'transfer-encoding', 'set-cookie']

/**
 * Creates a function that checks whether a header can be written beside the static headers. It returns the lower-case
 * name of such a header, and `undefined` for any other header. Without this check, a static header could be sent twice.
 * Results are cached by name, because changing the case of each name took longer than all other work.
 */
function nameTest(byName: StaticHeaders['byName']): (name: string) => string | undefined {
  return rememberNames((name) => {
    const key = headerKey(name)
    return byName.has(key) || OF_SENDING.includes(key) ? undefined : key
  })
}

/** Sets the static headers individually, for a caller that reads all headers. */
function fill(res: Own, { byName }: StaticHeaders): void {
  if (res[kIsFilled] || res.headersSent) return
  setAdded(res)
  for (const header of byName.values()) {
    if (isLeft(res, header)) node.setHeader.call(res, header.name, header.value)
  }
  res[kIsFilled] = true
}

/** Returns the headers that have been sent, for loggers. Headers that were written as text can no longer be set. */
function sentHeaders(res: Own, statics: StaticHeaders): OutgoingHttpHeaders {
  const headers = node.getHeaders.call(res)
  for (const [name, value] of linesOf(res, statics)) headers[headerKey(name)] = value
  return headers
}

/** Returns the framework's headers that were not set individually, added headers first. */
function linesOf(res: Own, { byName }: StaticHeaders): [name: string, value: string][] {
  const list: [name: string, value: string][] = []
  const added = res[kAdded] ?? []
  for (let i = 0; i < added.length; i += 2) list.push([added[i] as string, added[i + 1] as string])
  for (const { name, value } of byName.values()) list.push([name, value])
  return list.filter(([name]) => isLeft(res, { name }))
}

/**
 * Prepares the static and added headers as text, which is sent beside the headers that were set. Setting the twelve
 * helmet headers individually took 50,000 instructions, more than half as many as the rest of a small request.
 */
function prepareHeaderLines(res: Own, statics: StaticHeaders): void {
  if (res[kIsFilled] || res.headersSent) return
  const set = node.getHeaderNames.call(res)
  const lines = staticLines(res, statics, set)
  res[kHeaderLines] = lines + addedLines(res, set)
}

function hasHeadersIn(args: readonly unknown[]): boolean {
  for (const arg of args) if (typeof arg === 'object') return true
  return false
}

/** @param set The lower-case names of the headers that were set. */
function staticLines(
  { [kRemoved]: removed }: Own,
  { text, byName }: StaticHeaders,
  set: readonly string[],
): string {
  if (removed === null && !set.some((key) => byName.has(key))) return text
  let lines = ''
  for (const [key, { line }] of byName) if (!removed?.has(key) && !set.includes(key)) lines += line
  return lines
}

/** Returns the lines of added headers. Headers that Node must process or refuse are set instead. */
function addedLines(res: Own, set: readonly string[]): string {
  const { [kAdded]: added, [kRemoved]: removed } = res
  let lines = ''
  for (let i = 0; added !== null && i < added.length; i += 2) {
    const [name, value] = [added[i] as string, added[i + 1] as string]
    const key = headerKey(name)
    if (set.includes(key) || removed?.has(key)) continue
    if (canLeaveAsText(name, value)) lines += headerLine(name, value)
    else node.setHeader.call(res, name, value)
  }
  return lines
}

function setAdded(res: Own): void {
  const added = res[kAdded]
  for (let i = 0; added !== null && i < added.length; i += 2) {
    const [name, value] = [added[i] as string, added[i + 1] as string]
    if (isLeft(res, { name })) node.setHeader.call(res, name, value)
  }
}

/** Whether a header was neither set nor removed. */
function isLeft(res: Own, { name }: Pick<StaticHeader, 'name'>): boolean {
  const key = headerKey(name)
  return !res[kRemoved]?.has(key) && !node.hasHeader.call(res, key)
}

/**
 * Sets the documented media type, unless the handler already set this type, possibly with parameters such as a charset.
 *
 * @param type A media type, which must not be a range.
 */
export function setDocumentedType(res: Response, type: string): void {
  if (essenceOf(res.get('Content-Type')) !== essenceOf(type)) res.setHeader('Content-Type', type)
}

function essenceOf(type = ''): string {
  return (type.split(';', 1)[0] as string).trim().toLowerCase()
}

/**
 * Sets a header of a response. `Vary`, `Set-Cookie` and `Link` are lists to which several parts of a program add
 * values, so the value is added to the existing values. For example, without the names that `cors` adds to `Vary`, a
 * cache would send the response to other origins. All other headers are replaced.
 */
export function joinHeader(res: Response, name: string, value: string | string[]): void {
  const key = name.toLowerCase()
  if (key === 'vary') res.vary(String(value))
  else if (key === 'set-cookie' || key === 'link') res.appendHeader(name, value)
  else res.setHeader(name, value)
}

const NAME = 'Cache-Control'
const NO_STORE = Object.freeze([NAME, 'no-store'])

/**
 * Forbids storing the response to a request with a credential (RFC 9111, 5.2.2.5), unless the application sets another
 * caching rule: a `Cache-Control` header that was set earlier, or is set later, replaces this header.
 */
export function forbidStoring(res: Response): void {
  const added = (res as Response & Partial<OwnHeaders>)[kAdded] ?? null
  if (added === null || indexOfHeader(added, NAME) < 0) addHeaders(res, NO_STORE)
}

/**
 * Whether {@link forbidStoring} was called for a response. The application may have set another caching rule since
 * then.
 */
export function isForPerson(res: Response): boolean {
  const added = (res as Response & Partial<OwnHeaders>)[kAdded] ?? null
  const index = added === null ? -1 : added.indexOf(NAME)
  return added?.[index + 1] === NO_STORE[1]
}

/** Whether a response has `no-store` only because of {@link forbidStoring}. */
export function isForbiddenByDefault(res: Response): boolean {
  return (
    isForPerson(res) &&
    !ServerResponse.prototype.hasHeader.call(res, NAME) &&
    res.getHeader(NAME) === NO_STORE[1]
  )
}
