import { expect } from 'vitest'
import { read } from './markdown.js'

/** A request as a reader makes it, and its answer. */
export interface Exchange {
  readonly command: string
  readonly answer: string
}

/** Variables of the shell. */
export type Variables = Readonly<Record<string, string>>

/** The `$ curl …` lines below `<!-- server: file -->` of a page, each with what is printed under it. */
export function conversation(page: string, server: string): Exchange[] {
  const part = read(page)
    .split('<!-- server: ')
    .find((text) => text.startsWith(`${server} -->`))
  const exchanges = exchangesOf(part ?? '')
  expect(exchanges.length).toBeGreaterThan(2)
  return exchanges
}

/** The `$ …` lines of a text in Markdown, each with what is printed under it. */
export function exchangesOf(text: string): Exchange[] {
  const consoles = [...text.matchAll(/^```console\n(.*?)^```$/gms)].map(([, lines]) => lines)
  const exchanges = consoles.join('').split(/^\$ /m).slice(1)
  return exchanges.map((exchange) => {
    const [command = '', ...answer] = exchange.split('\n')
    return { command, answer: answer.join('') }
  })
}

/**
 * Makes the requests, one after the other, and compares.
 *
 * @param urls By the port that the document names.
 * @param variables The values of `$name` in the commands.
 */
export async function compareAll(
  exchanges: readonly Exchange[],
  urls: Readonly<Record<number, string>>,
  variables: Variables = {},
): Promise<void> {
  for (const { command, answer } of exchanges) {
    const shown = JSON.parse(steady(answer))
    const words = wordsOf(command, variables)
    expect({ command, answer: JSON.parse(steady(await curl(words, urls))) }).toEqual({
      command,
      answer: shown,
    })
  }
}

/** Puts a stand-in where every run has another value. */
function steady(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<uuid>')
}

/** The words of a command, as a shell makes them: it replaces variables, but not between single quotes. */
function wordsOf(command: string, variables: Variables): string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, word]) => {
    if (single !== undefined) return single
    return String(double ?? word).replace(/\$(\w+)/g, (_, name) => {
      const value = variables[name]
      if (value === undefined) throw new Error(`The page does not set ${name}, and uses it.`)
      return value
    })
  })
}

/** As much of curl as the pages use. */
async function curl(
  words: readonly string[],
  urls: Readonly<Record<number, string>>,
): Promise<string> {
  const headers = new Headers()
  let [method, target, body]: (string | undefined)[] = []
  for (let i = 1; i < words.length; i++) {
    const word = words[i] as string
    if (word === '-X') method = words[++i]
    else if (word === '-H') headers.append(...(String(words[++i]).split(': ') as [string, string]))
    else if (word === '--json') {
      headers.set('Content-Type', 'application/json')
      body = words[++i]
    } else target = word.replace(/localhost:(\d+)/, (_, port) => urls[port] as string)
  }
  method ??= body === undefined ? 'GET' : 'POST'
  const response = await fetch(target as string, { method, headers, body: body ?? null })
  return await response.text()
}
