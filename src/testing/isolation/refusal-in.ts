import { shorten } from '../../schema/mismatches.js'
import { isObject } from '../option-kinds.js'
import type { WholeResponse } from './send-whole.js'

/** The fields and messages of a response that refuses values, in any format of errors; empty if it names none. */
export function refusalIn({ body }: Pick<WholeResponse, 'body'>): string {
  const found = findErrors(parsed(body))
  const texts = found.map(({ path, message }) => [path, message].filter(isText).join(': '))
  return shorten(texts.filter((text) => text !== '').join(', '))
}

type Fields = Readonly<Record<string, unknown>>

/** The list of errors at any depth of an envelope, else the outermost message. */
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
