import { escapeJson, escapeText } from './escape.js'
import type { LineLevel } from './levels.js'

/** One line before it becomes text. */
export interface Line {
  readonly level: LineLevel
  /** Milliseconds since 1970. */
  readonly time: number
  readonly message: string
  /** Data that JSON can hold. */
  readonly facts: Readonly<Record<string, unknown>>
}

const COLORS: Readonly<Record<LineLevel, number>> = {
  trace: 90,
  debug: 90,
  info: 32,
  warn: 33,
  error: 31,
  fatal: 35,
}

/** Writes a line for people. Text of users cannot begin a line, nor color one. */
export function prettyLine({ level, time, message, facts }: Line, isColored: boolean): string {
  const paint = (text: string, color: number) =>
    isColored ? `\u001b[${color}m${text}\u001b[0m` : text
  const clock = new Date(time).toISOString().slice(11, 23)
  const label = paint(level.toUpperCase().padEnd(5), COLORS[level])
  const { err, ...others } = facts
  const pairs = Object.entries(others).map(
    ([name, value]) => ` ${paint(`${escapeText(name)}=`, 90)}${textOf(value)}`,
  )
  const head = `${paint(clock, 90)} ${label} ${escapeText(message)}${pairs.join('')}`
  return [head, ...errorLines(err), ''].join('\n')
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return escapeText(value)
  return escapeJson(JSON.stringify(value) ?? 'undefined')
}

/** An error, below the line: its message on one line, and the frames of its stack. */
function errorLines(err: unknown): string[] {
  if (err === undefined) return []
  if (typeof err !== 'object' || err === null) return [`    ${textOf(err)}`]
  const { name, message, stack, cause, ...others } = err as Record<string, unknown>
  const title = `${String(name)}: ${String(message)}`
  const own = Object.keys(others).length === 0 ? '' : ` ${textOf(others)}`
  const below = cause === undefined ? [] : errorLines(cause)
  return [`    ${escapeText(title)}${own}`, ...framesOf(stack, String(message)), ...below]
}

/** The frames of a stack, which follow its message. The message may itself look like frames. */
function framesOf(stack: unknown, message: string): string[] {
  if (typeof stack !== 'string') return []
  const after = stack.indexOf(message)
  const frames = after < 0 ? stack : stack.slice(after + message.length)
  return frames
    .split('\n')
    .filter((frame) => frame.trim() !== '')
    .map((frame) => `      ${escapeText(frame.trim())}`)
}
