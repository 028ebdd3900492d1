// npm run bench:comparison [-- --check]: asks the frameworks of README.md's table, and writes the table, or compares it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FRAMEWORKS, VARIANTS } from './comparison/frameworks.mjs'
import { cellsOf, ROWS } from './comparison/questions.mjs'
import { markdownTable } from './tables.mjs'

const README = join(import.meta.dirname, '..', 'README.md')
const [BEGIN, END] = ['<!-- comparison: begin -->', '<!-- comparison: end -->']

const columns = []
for (const [name, framework] of Object.entries(FRAMEWORKS)) {
  columns.push(await cellsOf(name, { framework, variants: VARIANTS }))
}
const titles = Object.values(FRAMEWORKS).map(({ title }) => title)
const rows = ROWS.map(([text], index) => [text, ...columns.map((cells) => cells[index])])
const table = markdownTable(['', ...titles], rows, { textColumns: titles.length + 1 })
console.log(table)

const text = readFileSync(README, 'utf8')
const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
if (begin === -1 || end === -1) throw new Error(`README.md has lost ${BEGIN} or ${END}.`)
const written = `${text.slice(0, begin + BEGIN.length)}\n${table}\n${text.slice(end)}`
if (process.argv.includes('--check')) {
  if (written !== text)
    throw new Error('The table of README.md is out of date: npm run bench:comparison')
} else {
  writeFileSync(README, written)
}
process.exit()
