import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.js'
import type { Dialect } from './compile-journeys.js'
import { classOf } from './failure-classes.js'
import type { FileResult } from './run-journeys.js'
import type { Runtime } from './runtimes.js'

/** The results of each runtime. The first one is Node, which has run all tests of all files. */
export type Results = ReadonlyMap<Runtime, readonly FileResult[]>

const NAMES = ['Node', 'Bun', 'Deno'] as const
const SAVED = join(root, '.cache/runtimes')
const PAGE = join(root, 'docs/runtimes.md')
const MARKED = /(<!-- runtimes: begin -->\n).*?(<!-- runtimes: end -->)/s

interface Counts {
  readonly passed: number
  readonly skipped: number
  readonly failures: readonly string[]
}

/** The table of the tests of each folder under each runtime, then that of the reasons why tests failed. */
export function tableOf(results: Results): string {
  const runtimes = [...results.keys()]
  const all = [...results.values()].map((each) => withTotals(each, [...results.values()][0] ?? []))
  const folders = [...new Set(all.flat().map(({ file }) => folderOf(file)))]
  const rows = folders.map((folder) => [
    `\`${folder}/\``,
    ...all.map((files) => cell(sum(files.filter(({ file }) => folderOf(file) === folder)))),
  ])
  const sums = all.map(sum)
  const names = runtimes.map(({ name, version }) => `${name} ${version}`)
  const table = markdown([['Folder', ...names], ...rows, ['all', ...sums.map(cell)]])
  return `${table}\n\n${reasonsOf(names, sums)}`
}

/** Each failure with its file and class. */
export function failuresOf(results: Results): string {
  const lines: string[] = []
  for (const [{ name }, files] of results) {
    for (const { file, failures } of files) {
      for (const text of failures) lines.push(`\n${name}, ${file}: ${classOf(text)}\n${text}`)
    }
  }
  return lines.join('\n')
}

/** Saves the results of these files beside those of earlier runs, so that a part can run again. */
export function saveResults(
  dialect: Dialect,
  runtime: Runtime,
  files: readonly FileResult[],
): void {
  const earlier = [...readResults(dialect)].find(([{ name }]) => name === runtime.name)
  // Those of another version do not count.
  const kept = earlier?.[0].version === runtime.version ? earlier[1] : []
  const byFile = new Map([...kept, ...files].map((result) => [result.file, result]))
  const sorted = [...byFile.values()].sort((a, b) => a.file.localeCompare(b.file))
  mkdirSync(SAVED, { recursive: true })
  writeFileSync(savedPath(dialect, runtime.name), JSON.stringify({ runtime, files: sorted }))
}

/** The saved results of each runtime. */
export function readResults(dialect: Dialect): Results {
  const paths = NAMES.map((name) => savedPath(dialect, name)).filter((path) => existsSync(path))
  return new Map(
    paths.map((path) => {
      const { runtime, files } = JSON.parse(readFileSync(path, 'utf8'))
      return [runtime as Runtime, files as FileResult[]]
    }),
  )
}

function savedPath(dialect: Dialect, name: Runtime['name']): string {
  return join(SAVED, `${dialect}-${name}.json`)
}

/** Replaces the tables of docs/runtimes.md. */
export function writePage(results: Results): void {
  const page = readFileSync(PAGE, 'utf8')
  if (!MARKED.test(page)) throw new Error('docs/runtimes.md has no place for the tables.')
  writeFileSync(
    PAGE,
    page.replace(MARKED, (_, begin, end) => `${begin}${tableOf(results)}\n${end}`),
  )
}

function reasonsOf(names: readonly string[], sums: readonly Counts[]): string {
  const counted = sums.map(({ failures }) => countBy(failures.map(classOf)))
  const classes = [...new Set(counted.flatMap((each) => [...each.keys()]))]
  const of = (name: string) => counted.map((each) => each.get(name) ?? 0)
  const total = (name: string) => of(name).reduce((a, b) => a + b, 0)
  const rows = classes
    .sort((a, b) => total(b) - total(a))
    .map((name) => [name, ...of(name).map(String)])
  return markdown([['Reason for the failure', ...names], ...rows])
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** A file that could not be loaded has as many failures as it has tests under Node. */
function withTotals(
  files: readonly FileResult[],
  control: readonly FileResult[],
): readonly FileResult[] {
  return files.map((result) => {
    if (result.total !== null) return result
    const { total } = control.find(({ file }) => file === result.file) ?? {}
    const [reason = 'The file could not be loaded.'] = result.failures
    return { ...result, failures: Array.from({ length: total ?? 1 }, () => reason) }
  })
}

function sum(files: readonly FileResult[]): Counts {
  const add = (key: 'passed' | 'skipped') => files.reduce((total, each) => total + each[key], 0)
  return {
    passed: add('passed'),
    skipped: add('skipped'),
    failures: files.flatMap(({ failures }) => failures),
  }
}

function cell({ passed, skipped, failures }: Counts): string {
  const others = [
    ...(failures.length === 0 ? [] : [`${failures.length} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ]
  return [`${passed} passed`, ...others].join(', ')
}

function folderOf(file: string): string {
  return file.split('/').slice(0, 3).join('/')
}

function markdown([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  )
}
