import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Access, withAccess, withCaller, withSetup } from './fit-part.js'
import type { CodeKind } from './part-kinds.js'
import type { PartName } from './part-name.js'
import { specifierOf } from './project-files.js'
import type { CodeStyle, TestStyle } from './project-style.js'
import type { TestSetup } from './test-setup.js'

/** A file to write, by its path from the root of the project. */
export interface PartFile {
  readonly path: string
  readonly text: string
}

/** All that decides the files of a part. */
export interface PartPlan {
  readonly kind: CodeKind
  readonly name: PartName
  /** The path of the source file of a kind. */
  readonly pathOf: (kind: CodeKind) => string
  readonly code: CodeStyle
  readonly test: TestStyle
  /** Whether controllers declare their input with schemas of zod. */
  readonly hasZod: boolean
  /** What routes need. */
  readonly access: Access
  /** How the test makes the application; `undefined` for one that consists of the part. */
  readonly setup: TestSetup | undefined
  /** Whether the options of the application list the part. */
  readonly isListed: boolean
}

/** The kinds of source files that a part has, its own first. */
const SOURCES: Readonly<Record<CodeKind, readonly [CodeKind, ...CodeKind[]]>> = {
  controller: ['controller'],
  module: ['module', 'controller'],
  plugin: ['plugin'],
  guard: ['guard'],
}

/** The files of a part, its source file first and its test last. */
export function readPart(plan: PartPlan): PartFile[] {
  const { kind, pathOf, test, access, hasZod } = plan
  const sources = SOURCES[kind].map((each) => {
    const path = pathOf(each)
    const isOpen = each !== 'controller'
    const text = read(`src/sample-name-${!isOpen && hasZod ? 'zod-' : ''}${each}.ts`)
    return { path, text: adapt(isOpen ? text : withAccess(text, access), path, plan) }
  })
  const path = test.pathOf(pathOf(kind))
  const zod = kind === 'controller' && hasZod ? 'zod-' : ''
  const text = read(`test/sample-name-${zod}${kind}.test.ts`)
  if (!isServed(kind)) return [...sources, { path, text: adapt(text, path, plan) }]
  return [...sources, { path, text: testOf(withCaller(text, access), path, plan) }]
}

/** Whether a part of this kind has routes. */
export function isServed(kind: CodeKind): boolean {
  return kind === 'controller' || kind === 'module'
}

function testOf(text: string, path: string, plan: PartPlan): string {
  const { setup, code: style, isListed } = plan
  const adapted = adapt(text, path, plan)
  return setup === undefined ? adapted : withSetup(adapted, { setup, style, isListed })
}

function read(name: string): string {
  const folder = fileURLToPath(new URL('../../../templates/add/', import.meta.url))
  return readFileSync(folder + name, 'utf8')
}

/** The templates are real files, with semicolons, which are easier to leave out than to add. */
function adapt(text: string, path: string, { name, pathOf, code, test }: PartPlan): string {
  const { kebab, camel, pascal } = name
  const adapted = text
    .replace(
      /'[./]+(?:src\/)?sample-name-(?:zod-)?(\w+)\.js'/g,
      (_, kind: CodeKind) => `'${specifierOf(path, pathOf(kind), code.extension)}'`,
    )
    .replaceAll('sample-name', kebab)
    .replaceAll('sampleName', camel)
    .replaceAll('SampleName', pascal)
    .replace("from 'vitest'", `from '${test.runner}'`)
    .replaceAll("'", code.quote)
    .replace(/^(?: {2})+/gm, (blanks) => code.indent.repeat(blanks.length / 2))
  const plain = code.hasSemicolons ? adapted : adapted.replace(/;$/gm, '')
  return plain.replaceAll('\n', code.lineEnd)
}
