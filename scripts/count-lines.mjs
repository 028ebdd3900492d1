// node scripts/count-lines.mjs [path …]: counts the lines of code in TypeScript files, without blank lines and comment
// lines.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const paths = process.argv.length > 2 ? process.argv.slice(2) : ['src']
let all = 0
for (const path of paths) {
  const isFile = statSync(path).isFile()
  const names = isFile ? [path] : readdirSync(path, { recursive: true, encoding: 'utf8' })
  const files = isFile ? names : names.map((name) => join(path, name))
  const sources = files.filter((file) => /\.[cm]?ts$/.test(file) && !file.includes('node_modules'))
  const lines = sources.reduce((sum, file) => sum + codeLines(readFileSync(file, 'utf8')), 0)
  all += lines
  console.log(`${String(lines).padStart(7)}  ${String(sources.length).padStart(5)} files  ${path}`)
}
if (paths.length > 1) console.log(`${String(all).padStart(7)}  all`)

/** In this repository, comments are on their own lines, so a parser is not needed. */
function codeLines(text) {
  const withoutBlocks = text.replace(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*$/gm, '')
  return withoutBlocks.split('\n').filter((line) => /\S/.test(line) && !/^\s*\/\//.test(line))
    .length
}
