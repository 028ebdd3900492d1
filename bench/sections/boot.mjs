// Boot of a large API, its document included: bench/boot.mjs.
import { describeEnvironment } from '../environment.mjs'
import { medianOf, summarizeLanes } from '../summary.mjs'
import { markdownTable, median } from '../tables.mjs'

/** Half of them have a body with a schema of its own. */
export const ROUTES = 1000

/** Numbers of routes that Blazon alone boots. */
export const SIZES = [1000, 2000, 5000, 10_000]

/** Packages whose versions stand in the results. */
export const PACKAGES = [
  'fastify',
  '@fastify/swagger',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/swagger',
  'class-validator',
  'find-my-way',
  'zod',
]

/** Each with its title and the file that is run. */
export const CANDIDATES = {
  zod: { title: 'zod alone: schemas, and their JSON Schema', file: 'boot/zod.mjs', isFloor: true },
  fastify: {
    title: 'Fastify, @fastify/swagger, JSON Schema',
    file: 'peers/boot/fastify.mjs',
  },
  'fastify-zod': {
    title: 'Fastify, @fastify/swagger, zod',
    file: 'peers/boot/fastify-zod.mjs',
  },
  nest: {
    title: 'NestJS on Express, @nestjs/swagger',
    file: 'peers/.build/boot-nest.mjs',
  },
  blazon: { title: 'Blazon and zod', file: '.build/boot-blazon.mjs' },
}

const WHAT = 'boot of 1,000 routes with 500 body schemas, document included'

const RATIOS = [
  { of: 'nest', most: 0.5 },
  { of: 'fastify', most: 0.2 },
]

/** The median of what was measured, or nothing when nothing was. */
export function middleOf(list = []) {
  const measured = list.filter((value) => value !== null)
  return measured.length === 0 ? undefined : median(measured)
}

/** What is kept of the candidates. */
export function keepCandidates(candidates) {
  const others = Object.keys(candidates).filter((name) => name !== 'blazon')
  const pairs = others.map((name) => ['blazon', name])
  return summarizeLanes(candidates, {
    spread: ['wall'],
    middle: ['cpu', 'instructions', 'whole'],
    pairs,
  })
}

/** The median of what Blazon takes over what another takes in the same round. */
function ratio(candidates, other, key) {
  return medianOf(candidates.blazon.of[other][key])
}

/** A row for each candidate on one Node. */
export function nodeTable({ candidates }) {
  const rows = Object.entries(CANDIDATES).map(([name, { title }]) => {
    const column = (key) => medianOf(candidates[name][key])?.toFixed(0) ?? ''
    const times = (key) => {
      const value = name === 'blazon' ? undefined : ratio(candidates, name, key)
      return value === undefined ? '' : `${value.toFixed(2)}×`
    }
    return [
      title,
      ...['wall', 'cpu', 'instructions', 'whole'].map(column),
      ...['wall', 'cpu', 'instructions'].map(times),
    ]
  })
  const head = ['', 'ms', 'ms CPU', 'million instructions', 'ms with loading', 'Blazon is']
  return markdownTable([...head, 'by CPU', 'by instructions'], rows)
}

/** What a route costs must not grow with their number. */
function sizesTable(sizes) {
  const rows = Object.entries(sizes).map(([size, { cpu, instructions }]) => {
    const each = [(cpu / size) * 1000, instructions === undefined ? '' : instructions / size]
    return [
      Number(size).toLocaleString('en'),
      cpu.toFixed(0),
      each[0].toFixed(0),
      instructions?.toFixed(0) ?? '',
      each[1] === '' ? '' : each[1].toFixed(2),
    ]
  })
  const head = ['routes', 'ms CPU', 'µs CPU a route', 'million instructions', 'a route']
  return markdownTable(head, rows)
}

function goalsOf(nodes) {
  const measure = (read) =>
    Object.fromEntries(
      Object.entries(nodes).map(([major, { candidates }]) => [major, read(candidates)]),
    )
  const byInstructions = (other) => (candidates) => {
    const value = ratio(candidates, other, 'instructions')
    return value === undefined ? undefined : `${value.toFixed(2)} by instructions`
  }
  const ratios = RATIOS.map(({ of, most }) => ({
    id: `boot/${of}`,
    what: `${WHAT}, of ${CANDIDATES[of].title}`,
    most: { default: most },
    unit: '×',
    measured: measure((candidates) => ratio(candidates, of, 'wall')),
    note: measure(byInstructions(of)),
  }))
  const beyond = ({ blazon, zod }, key) => medianOf(blazon[key]) - medianOf(zod[key])
  const time = {
    id: 'boot/time',
    what: `${WHAT}, beyond what zod alone takes`,
    most: { default: 60 },
    unit: 'ms',
    measured: measure((candidates) => beyond(candidates, 'wall')),
    note: measure(({ zod }) => `zod alone ${zod.wall.median.toFixed(0)}`),
  }
  return [time, ...ratios]
}

export function section({ versions, nodes }) {
  const tables = Object.values(nodes).map(
    ({ node, environment, rounds, sizes, ...measured }) =>
      `### Node ${node}\n\n${nodeTable(measured)}\n\n${sizesTable(sizes)}\n\n${rounds} rounds. ${describeEnvironment(environment)}`,
  )
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return {
    title: 'Boot of a large API',
    goals: goalsOf(nodes),
    body: `${tables.join('\n\n')}

### How to read it

Written by \`npm run bench:boot\`. ${named.join(', ')}.

A hundred controllers (plugins, in Fastify) of ten routes; five of each have a body of eight fields, one of them an object of three, with a
schema of its own: of zod, of class-validator and @nestjs/swagger, or JSON Schema. A round boots every candidate once, in a process of its own. **ms** is
the time of the phase that begins when all modules are loaded, and ends when the server listens and the text of the OpenAPI document is
there: that classes are defined and schemas are made is in it, and all that the framework does with them. **ms CPU** is the CPU time of all threads in
that phase, which others on the machine distort less; **million instructions**, user and kernel, are distorted least: those of a whole process less those of
one that ends before the phase. **ms with loading** is the time since the process began. **Blazon is** the median, over the rounds, of what Blazon takes over
what the other takes in the same round.

The first row is what Blazon cannot do without, where bodies are described with zod: making the schemas, and zod's own \`toJSONSchema\` of each, which
the document is written from. Fastify is there twice for the same reason: with JSON Schema, as its own documentation has it, and with the same schemas of zod.
Before anything is timed, every candidate must document 1,000 operations with 500 bodies, take a valid body and refuse one that is wrong
deep inside.`,
  }
}
