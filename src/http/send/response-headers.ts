import { type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import { copyDescriptors } from '../copy-descriptors.js'
import { kAdded, kHeaderLines, kIsFilled, kRemoved } from '../own-fields.js'
import {
  canWriteHeaderLines,
  type HasHeaderLines,
  type StaticHeader,
  type StaticHeaders,
} from './static-headers.js'

const node = ServerResponse.prototype
/** Returns the names as they were written. Node's types have this method only for requests of a client. */
const rawNames = (node as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames

/** The framework's own fields of a response that concern headers. */
export interface OwnHeaders extends HasHeaderLines {
  [kRemoved]: Set<string> | null
  [kAdded]: string[] | null
  [kIsFilled]: boolean
}

type Own = Response & OwnHeaders

/** Sets the starting values. Every response gets them in this order, so that all share one hidden class. */
export function assignOwnHeaders(own: OwnHeaders): void {
  own[kRemoved] = null
  own[kAdded] = null
  own[kIsFilled] = false
  own[kHeaderLines] = ''
}

/** Adds one header; see {@link addHeaders}. */
export function addHeader(res: Response, name: string, value: string): void {
  addHeaders(res, [name, value])
}

/**
 * Adds headers that are written together with the static ones: after `setHeader` the response could no longer take
 * the fast path. A header that other code sets replaces it. Values of one name are joined with commas. Works only in
 * applications whose response class `addsHeaders`.
 *
 * @param list `[name, value, …]`. The response keeps and changes the array: a copy of two pairs took 0.3 µs.
 */
export function addHeaders(res: Response, list: string[]): void {
  const own = res as Own
  if (own.headersSent) return
  if (own[kAdded] === null && !own[kIsFilled]) own[kAdded] = list
  else
    for (let i = 0; i < list.length; i += 2) append(own, list[i] as string, list[i + 1] as string)
}

function append(own: Own, name: string, value: string): void {
  own[kAdded] ??= []
  const added = own[kAdded]
  const isFilled = own[kIsFilled]
  const index = added.findIndex((each, i) => i % 2 === 0 && each === name)
  if (index < 0) {
    added.push(name, value)
    // `getHeaders` was called, so the headers have been set one by one. This one must be set, too.
    if (isFilled && !own.hasHeader(name)) own.setHeader(name, value)
    return
  }
  const before = added[index + 1] as string
  // RFC 9110, 5.3: lines of one name may be joined with commas.
  const joined = `${before}, ${value}`
  added[index + 1] = joined
  if (isFilled && own.getHeader(name) === before) own.setHeader(name, joined)
}

/**
 * Sets the headers that an application of ours had added to a response of another server, which no longer has our
 * fields.
 */
export function restoreAdded(res: ServerResponse, added: readonly string[]): void {
  for (let i = 0; i < added.length && !res.headersSent; i += 2) {
    if (!node.hasHeader.call(res, added[i] as string)) {
      node.setHeader.call(res, added[i] as string, added[i + 1] as string)
    }
  }
}

function findAdded({ [kAdded]: added }: OwnHeaders, key: string): string | undefined {
  if (added === null) return undefined
  const index = added.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === key)
  return index < 0 ? undefined : added[index + 1]
}

/** Makes the static headers visible to all methods that read headers, and sends those that no code has changed. */
export function defineStaticHeaders(prototype: Response, statics: StaticHeaders): void {
  const { byName } = statics
  const find = (res: OwnHeaders, name: string): string | undefined => {
    const key = String(name).toLowerCase()
    if (res[kIsFilled] || res[kRemoved]?.has(key)) return undefined
    return findAdded(res, key) ?? byName.get(key)?.value
  }
  const overrides = {
    getHeader(this: Own, name: string) {
      return node.getHeader.call(this, name) ?? find(this, name)
    },
    hasHeader(this: Own, name: string) {
      return node.hasHeader.call(this, name) || find(this, name) !== undefined
    },
    removeHeader(this: Own, name: string) {
      const isOurs = find(this, name) !== undefined
      node.removeHeader.call(this, name)
      if (!isOurs) return
      this[kRemoved] ??= new Set()
      this[kRemoved].add(String(name).toLowerCase())
    },
    appendHeader(this: Own, name: string, value: string | readonly string[]) {
      const found = node.hasHeader.call(this, name) ? undefined : find(this, name)
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
      // The head has been sent: headers that were written as text can no longer be set.
      return [...names, ...unset(this, statics).map(({ name }) => name)]
    },
    writeHead(this: Own, ...args: Parameters<typeof node.writeHead>) {
      // An earlier call may have thrown and left its lines.
      this[kHeaderLines] = ''
      // Node compares the headers in the arguments with those that were set, and with no others. A wrapper may pass
      // `undefined` as the last argument.
      if (args.some((arg) => typeof arg === 'object') || !canWriteHeaderLines()) fill(this, statics)
      else prepareHeaderLines(this, statics)
      return node.writeHead.apply(this, args)
    },
  }
  copyDescriptors(prototype, overrides)
}

/** Sets the static headers one by one, for a caller that wants to see all headers. */
function fill(res: Own, { byName }: StaticHeaders): void {
  if (res[kIsFilled] || res.headersSent) return
  setAdded(res)
  for (const header of byName.values()) {
    if (isLeft(res, header)) node.setHeader.call(res, header.name, header.value)
  }
  res[kIsFilled] = true
}

/** The headers that have been sent, for loggers: those that were written as text can no longer be set. */
function sentHeaders(res: Own, { byName }: StaticHeaders): OutgoingHttpHeaders {
  const headers = node.getHeaders.call(res)
  for (const [key, { name, value }] of byName) if (isLeft(res, { name })) headers[key] = value
  return headers
}

/** The static headers that have not been set one by one. */
function unset(res: Own, { byName }: StaticHeaders): StaticHeader[] {
  return [...byName.values()].filter((header) => isLeft(res, header))
}

/**
 * Prepares the static headers as text, which is sent beside the headers that were set. Setting the twelve headers of
 * helmet one by one took 50,000 instructions, more than half as much as all the rest of a small request.
 */
function prepareHeaderLines(res: Own, statics: StaticHeaders): void {
  if (res[kIsFilled] || res.headersSent) return
  setAdded(res)
  res[kHeaderLines] = headerLinesOf(res, statics)
}

function headerLinesOf(res: Own, { text, byName }: StaticHeaders): string {
  const names = node.getHeaderNames.call(res)
  if (res[kRemoved] === null && !names.some((key) => byName.has(key))) return text
  let lines = ''
  for (const header of byName.values()) if (isLeft(res, header)) lines += header.line
  return lines
}

function setAdded(res: Own): void {
  const added = res[kAdded]
  for (let i = 0; added !== null && i < added.length; i += 2) {
    const [name, value] = [added[i] as string, added[i + 1] as string]
    if (isLeft(res, { name })) node.setHeader.call(res, name, value)
  }
}

/** Whether no code has set or removed the header. */
function isLeft(res: Own, { name }: Pick<StaticHeader, 'name'>): boolean {
  return !res[kRemoved]?.has(name.toLowerCase()) && !node.hasHeader.call(res, name)
}
