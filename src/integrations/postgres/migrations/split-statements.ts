import { type Token, tokensOf } from '../sql-tokens.js'

/** One statement of a script. */
export interface ScriptStatement {
  /** Without the semicolon behind it, and without the comments before it. */
  readonly text: string
  /** Where it begins in the script. */
  readonly start: number
  /** What it begins with: as many keywords as stand there before anything else, in small letters. */
  readonly words: readonly string[]
  /** Where a backslash stands that is not quoted, which is a command of psql; the statement ends there. */
  readonly backslash: number | undefined
  /** Whether it is a `COPY` that reads or writes the connection. */
  readonly isCopy: boolean
}

/** The start of what may have a body `BEGIN ATOMIC … END`, with semicolons that end nothing. */
const ROUTINE = /^create (?:or replace )?(?:function|procedure)\b/

/**
 * Takes a script apart where psql would: at semicolons that are not quoted, not within parentheses, and not in the body of a
 * function. Lazily, so that who finds a statement that should not be there need not read what follows it.
 *
 * @throws UnclosedError
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
