// What is loaded before the first answer, as a table and a plot: bench/startup/loaded.mjs.
import { markdownTable } from '../../tables.mjs'

/** Packages and files that have a row of their own. */
const PACKAGES = 14
const FILES = 20

const kilobytes = (bytes) => (bytes / 1000).toFixed(1)

/** The sum of some packages. */
function total(packages) {
  const sum = { files: 0, bytes: 0, ran: 0 }
  for (const each of packages) for (const key of Object.keys(sum)) sum[key] += each[key]
  return sum
}

/** The largest packages, and all others in one row. */
function rowsOf({ packages }) {
  const entries = Object.entries(packages)
  const others = entries.slice(PACKAGES)
  const rest = total(others.map(([, sum]) => sum))
  return [...entries.slice(0, PACKAGES), [`${others.length} other packages`, rest]]
}

/** What is kept: all packages, and the largest files. */
export function keepLoaded({ packages, files }) {
  return { packages, files: Object.fromEntries(Object.entries(files).slice(0, FILES)) }
}

/** A plot for `bench/peers/draw-bars.mjs`. */
export function plotOfLoaded({ node, blazon }) {
  const rows = rowsOf(blazon)
  const values = (key) => rows.map(([, sum]) => Number(kilobytes(sum[key])))
  return {
    name: 'loaded',
    title: 'What Blazon with zod has loaded at its first answer',
    subtitle: `Kilobytes of JavaScript by package, and those of functions that ran.\nNode ${node}.`,
    unit: ' kB',
    categories: rows.map(([name]) => name),
    highlighted: 'blazon',
    series: [
      { name: 'loaded', values: values('bytes') },
      { name: 'ran', values: values('ran') },
    ],
  }
}

/** The part of the page about it. */
export function textOfLoaded(loaded) {
  const { node, command, blazon, ...others } = loaded
  const cells = (name, { files, bytes, ran }) => [name, files, kilobytes(bytes), kilobytes(ran)]
  const sums = Object.entries({ Blazon: blazon, ...others }).map(([name, { packages }]) =>
    cells(`all of ${name}`, total(Object.values(packages))),
  )
  const rows = [...rowsOf(blazon).map(([name, sum]) => cells(name, sum)), ...sums]
  const files = Object.entries(blazon.files).map(([name, { bytes, ran }]) => [
    `\`${name}\``,
    kilobytes(bytes),
    kilobytes(ran),
  ])
  return `### What is loaded before the first answer

![Kilobytes of JavaScript by package](plots/loaded.svg)

Written by \`${command}\` on Node ${node}. **loaded** are the bytes of the JavaScript files that have been read, parsed and partly compiled,
**ran** those of functions that were called at least once, in kilobytes. V8 counts them, so they do not depend on the machine. Modules of
Node itself are not in it, nor is JSON, of which \`mime-db\` has 190 kB.

${markdownTable(['package', 'files', 'loaded', 'ran'], rows)}

The largest files of Blazon's start:

${markdownTable(['file', 'loaded', 'ran'], files)}`
}
