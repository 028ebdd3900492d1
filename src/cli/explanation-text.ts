import type {
  ExplainedDecorator,
  ExplainedPlugin,
  ExplainedResponse,
  ExplainedStep,
  RouteExplanation,
  SourcePlace,
} from '../app/explain/explanation.js'
import { alignRows, rowOf } from './route-rows.js'

/** Narrower columns of text are not readable. */
const MIN_TEXT = 24

/** A line with a name in front, and further lines under its text. */
interface Entry {
  readonly name: string
  readonly text: string
  readonly details?: readonly string[]
}

/**
 * Writes the explanation of a route for people.
 *
 * @param columns The width of the terminal; `undefined` for a file or a pipe, whose lines may have any length.
 */
export function explanationText(route: RouteExplanation, columns?: number): string {
  const sections = [
    [rowOf(route).join('  ')],
    section('Before the route', beforeEntries(route), columns),
    section('Steps', route.steps.map(stepEntry), columns),
    section('Plugins', route.plugins.flatMap(pluginEntry), columns),
    section('Options', optionEntries(route), columns),
    section('Responses', route.responses.map(responseEntry), columns),
    titled('Decorators', alignRows(route.decorators.map(decoratorRow))),
  ]
  const shown = sections.filter((lines) => lines.length > 0)
  return `${shown.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function beforeEntries({ before }: RouteExplanation): Entry[] {
  return before.map(({ name, from }) => ({ name, text: from }))
}

function stepEntry({ name, does, isCertain, sources }: ExplainedStep): Entry {
  return { name, text: isCertain ? does : `possibly: ${does}`, details: sources }
}

/** A plugin that only provides classes and middlewares has no entry. */
function pluginEntry({ name, mayAddSteps, contract }: ExplainedPlugin): Entry[] {
  const added = Object.entries(contract ?? {}).filter(([, list]) => list.length > 0)
  const [text, ...details] = [
    ...(mayAddSteps ? ['may add steps (known when the application runs)'] : []),
    ...added.map(([part, list]) => `adds to the document: ${part}: ${list.join(', ')}`),
  ]
  return text === undefined ? [] : [{ name, text, details }]
}

function optionEntries({ options }: RouteExplanation): Entry[] {
  return options.map(({ name, value }) => ({ name, text: JSON.stringify(value) }))
}

function responseEntry({ status, description, headers }: ExplainedResponse): Entry {
  const details = headers.length === 0 ? [] : [`headers: ${headers.join(', ')}`]
  return { name: status, text: description, details }
}

function decoratorRow(decorator: ExplainedDecorator): string[] {
  const { name, at, writtenAt, isReplaced } = decorator
  const notes = [
    ...(writtenAt === null ? [] : [`written at ${placeText(writtenAt)}`]),
    ...(isReplaced ? ['replaced by an override'] : []),
  ]
  return [at === null ? 'unknown' : placeText(at), name, targetText(decorator), notes.join(', ')]
}

function targetText({ on, class: owner, method, parameter }: ExplainedDecorator): string {
  if (on === 'class') return `class ${owner}`
  const name = `${owner}.${method}`
  return parameter === null ? name : `parameter ${parameter} of ${name}`
}

function placeText({ file, line }: SourcePlace): string {
  return `${file}:${line}`
}

function section(title: string, entries: readonly Entry[], columns: number | undefined): string[] {
  const width = Math.max(...entries.map(({ name }) => name.length))
  const room = columns === undefined ? Infinity : Math.max(MIN_TEXT, columns - width - 4)
  const lines = entries.flatMap(({ name, text, details = [] }) => {
    const [first = '', ...others] = [
      ...wrap(text, room),
      ...details.flatMap((detail) => wrap(`- ${detail}`, room)),
    ]
    const under = ' '.repeat(width)
    return [`${name.padEnd(width)}  ${first}`, ...others.map((line) => `${under}  ${line}`)]
  })
  return titled(title, lines)
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`.trimEnd())]
}

/** Breaks a text between words. A word that is too long stays whole. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length > width && line !== '') {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}
