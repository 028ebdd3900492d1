import { type Token, tokensOf } from '../sql-tokens.js'

/** One statement of a script. */
export interface ScriptStatement {
  /** The text without the semicolon after it and the comments before it. */
  readonly text: string
  /** The position at which the statement begins in the script. */
  readonly start: number
  /** The keywords at its beginning, up to the first other token, in lower case. */
  readonly words: readonly string[]
  /** The position of an unquoted backslash, which begins a psql command. The statement ends there. */
  readonly backslash: number | undefined
  /** Whether the statement is a `COPY` that reads from or writes to the connection. */
  readonly isCopy: boolean
}

/** Statements that can have a body `BEGIN ATOMIC … END`. Semicolons in that body do not end the statement. */
const ROUTINE = /^create (?:or replace )?(?:function|procedure)\b/

/**
 * Splits a script into statements as psql does: at semicolons outside of quotes, parentheses and function bodies. The
 * generator is lazy, so that a caller can stop at the first invalid statement.
 *
 * @throws UnclosedError if a quote or a comment is not closed.
 */
export function* splitStatements(script: string): Generator<ScriptStatement> {
  let tokens: Token[] = []
  let depth = 0
  let blocks = 0
  for (const token of tokensOf(script)) {
    if (token.text === ';' && depth <= 0 && blocks === 0) {
      if (tokens.length > 0) yield statement(script, tokens)
      tokens = []
      depth = 0
      continue
    }
    tokens.push(token)
    if (token.text === '\\') {
      yield statement(script, tokens)
      tokens = []
    }
    depth += depthChange(token)
    if (depth === 0 && token.kind === 'word') blocks += blockChange(token.text, blocks, tokens)
  }
  if (tokens.length > 0) yield statement(script, tokens)
}

function depthChange({ text }: Token): number {
  if (text === '(') return 1
  return text === ')' ? -1 : 0
}

function blockChange(word: string, blocks: number, tokens: readonly Token[]): number {
  if (word === 'begin') return ROUTINE.test(leading(tokens).join(' ')) ? 1 : 0
  if (blocks === 0) return 0
  if (word === 'case') return 1
  return word === 'end' ? -1 : 0
}

function statement(script: string, tokens: readonly Token[]): ScriptStatement {
  const start = tokens[0]?.start as number
  const words = leading(tokens)
  return {
    text: script.slice(start, tokens.at(-1)?.end),
    start,
    words,
    backslash: tokens.find(({ text }) => text === '\\')?.start,
    isCopy: words[0] === 'copy' && tokens.some(isConnectionOfCopy),
  }
}

function isConnectionOfCopy({ text }: Token, index: number, tokens: readonly Token[]): boolean {
  const before = tokens[index - 1]?.text
  return (text === 'stdin' && before === 'from') || (text === 'stdout' && before === 'to')
}

function leading(tokens: readonly Token[]): string[] {
  const end = tokens.findIndex(({ kind }) => kind !== 'word')
  return tokens.slice(0, end < 0 ? undefined : end).map(({ text }) => text)
}
