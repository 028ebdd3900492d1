import { shorten } from '../../schema/mismatches.js'
import { isObject } from '../test-options.js'
import type { Canaries, CanaryMatch } from './canaries.js'
import type { WholeResponse } from './send-whole.js'

/** A canary or tenant ID, and its place in a response. */
export interface Find extends CanaryMatch {
  /** The place: `body data[0].text`, `header location`, `cookie sid`, `status line`. */
  readonly where: string
}

/** Finds the canaries and IDs of all tenants in a response. */
export function searchResponse(response: WholeResponse, canaries: Canaries): Find[] {
  return piecesOf(response).flatMap(({ where, text }) =>
    canaries.find(text).map((match) => ({ ...match, where })),
  )
}

interface Piece {
  readonly where: string
  readonly text: string
}

function piecesOf({ statusText, rawHeaders, body, isJson }: WholeResponse): Piece[] {
  const pieces: Piece[] = [{ where: 'status line', text: statusText }]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2)
    pieces.push({ where: placeOf(name, value), text: `${name}: ${value}` })
  }
  return [...pieces, ...bodyPieces(body, isJson)]
}

function placeOf(name: string, value: string): string {
  const lower = name.toLowerCase()
  return lower === 'set-cookie' ? `cookie ${value.split('=', 1)[0]}` : `header ${lower}`
}

function bodyPieces(body: string, isJson: boolean): Piece[] {
  if (isJson) {
    try {
      return leavesOf(JSON.parse(body), '')
    } catch {
      // The body is not JSON, so it is searched as plain text.
    }
  }
  return [{ where: 'body', text: body }]
}

/** All strings and numbers in a value, including field names. */
function leavesOf(value: unknown, path: string): Piece[] {
  if (typeof value === 'string' || typeof value === 'number')
    return [{ where: `body ${path}`.trimEnd(), text: String(value) }]
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => leavesOf(item, `${path}[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [
    { where: `body ${path}, a name in it`, text: key },
    ...leavesOf(child, path === '' ? key : `${path}.${key}`),
  ])
}

/** The fields and messages of a validation error, in any error format; empty if there are none. */
export function refusalIn({ body }: Pick<WholeResponse, 'body'>): string {
  const found = findErrors(parsed(body))
  const texts = found.map(({ path, message }) => [path, message].filter(isText).join(': '))
  return shorten(texts.filter((text) => text !== '').join(', '))
}

type Fields = Readonly<Record<string, unknown>>

/** The list of errors at any depth of an envelope; otherwise, the outermost message. */
function findErrors(value: unknown): Fields[] {
  if (!isObject(value)) return []
  const fields = value as Fields
  const lists = Object.values(fields).filter((each) => Array.isArray(each))
  const errors = lists.flat().filter((each): each is Fields => isObject(each) && 'message' in each)
  if (errors.length > 0) return errors
  const inner = Object.values(fields).flatMap(findErrors)
  if (inner.length > 0) return inner
  const message = fields['message'] ?? fields['detail']
  return isText(message) ? [{ message }] : []
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
