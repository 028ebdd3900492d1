// The frameworks of the table of README.md: how each program is made, and what its user installs for it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { compileDecorated } from '../compile.mjs'

const bench = join(import.meta.dirname, '..')
const peers = join(bench, 'peers')
const source = (name) => join(peers, 'comparison', name)

/** What a program is asked to be, besides the plain one. */
export const VARIANTS = ['plain', 'clash', 'mistake', 'middleware']

/**
 * By name: the title of the column, a function that makes the program of a variant and returns its file, the packages that
 * its user installs, the package that has to run without modules of Node to run at the edge, and the lane of results/requests.json.
 */
export const FRAMEWORKS = {
  blazon: {
    title: 'Blazon',
    make: () => bundle(join(import.meta.dirname, 'blazon.ts'), 'comparison-blazon'),
    packages: ['blazon', 'zod'],
    core: 'blazon',
    lane: 'blazon/full',
  },
  nest: {
    title: 'NestJS 12',
    make: () => compileDecorated('nest', { from: 'comparison', to: 'comparison-nest' }),
    packages: [
      '@nestjs/common',
      '@nestjs/core',
      '@nestjs/platform-express',
      '@nestjs/swagger',
      'class-transformer',
      'class-validator',
      'reflect-metadata',
      'rxjs',
    ],
    core: '@nestjs/core',
    lane: 'nest-express/full',
  },
  fastify: {
    title: 'Fastify 5',
    make: () => source('fastify.mjs'),
    packages: ['fastify', '@fastify/swagger'],
    core: 'fastify',
    lane: 'fastify/full',
  },
  tsoa: {
    title: 'tsoa 6',
    make: makeTsoa,
    packages: ['tsoa', 'express'],
    core: 'tsoa',
  },
  hono: {
    title: 'Hono 4',
    make: () => source('hono.mjs'),
    packages: ['hono', '@hono/node-server', '@hono/zod-openapi', 'zod'],
    core: 'hono',
    lane: 'hono/full',
  },
}

/** Compiles a program with its own files; packages stay where they are. */
async function bundle(entry, name, folder = join(bench, '.build')) {
  const outfile = join(folder, `${name}.mjs`)
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  })
  return outfile
}

/** Generates the routes and the document of tsoa by its command, then compiles them with the program. */
async function makeTsoa(variant) {
  const folder = join(peers, '.build', `tsoa-${variant}`)
  mkdirSync(folder, { recursive: true })
  const added = { clash: 'clashing', mistake: 'mistaken' }[variant]
  const names = ['users', ...(added === undefined ? [] : [added])]
  const configuration = {
    entryFile: source('tsoa/main.ts'),
    controllerPathGlobs: names.map((name) => source(`tsoa/${name}-controller.ts`)),
    spec: { outputDirectory: folder, specVersion: 3 },
    routes: { routesDir: folder, middleware: 'express', esm: true },
    compilerOptions: { experimentalDecorators: true },
  }
  const file = join(folder, 'tsoa.json')
  writeFileSync(file, JSON.stringify(configuration))
  execFileSync(process.execPath, [commandOf('tsoa'), 'spec-and-routes', '-c', file], {
    stdio: 'pipe',
  })
  const entry = join(folder, 'main.ts')
  writeFileSync(entry, readFileSync(source('tsoa/main.ts')))
  return bundle(entry, 'main', folder)
}

/** The program of the command that a package brings. */
function commandOf(name) {
  const folder = join(peers, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : Object.values(bin)[0])
}

/** Whether the package can be bundled for a runtime that has no modules of Node. */
export async function needsNode(name) {
  const from = name === 'blazon' ? bench : peers
  try {
    await build({
      stdin: { contents: `export * from '${name}'`, resolveDir: from },
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'esm',
      logLevel: 'silent',
    })
    return false
  } catch (error) {
    const missing = error.errors.map(({ text }) => /Could not resolve "([^"]+)"/.exec(text)?.[1])
    if (missing.some(isBuiltin)) return true
    throw error
  }
}

/** How many packages an empty project gets with these: they and everything that they depend on. */
export function countPackages(names) {
  const folder = names.includes('blazon') ? bench : peers
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  const seen = new Set()
  const walk = (name, from) => {
    const path = find(packages, name, from)
    if (path === undefined || seen.has(path)) return
    seen.add(path)
    const { dependencies = {} } = entryOf(packages[path], packages)
    for (const each of Object.keys(dependencies)) walk(each, path)
  }
  for (const name of names) walk(name, '')
  return seen.size
}

const entryOf = (entry, packages) => (entry.link ? packages[entry.resolved] : entry)

/** The folder in which Node finds a package, asked for in another's. */
function find(packages, name, from) {
  const path = join(from, 'node_modules', name)
  if (packages[path] !== undefined) return path
  return from === ''
    ? undefined
    : find(packages, name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
}
