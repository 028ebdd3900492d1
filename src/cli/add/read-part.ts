import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CodeKind } from './part-kinds.js'
import type { PartName } from './part-name.js'
import { specifierOf } from './project-files.js'
import type { CodeStyle, TestStyle } from './project-style.js'

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
  const { kind, pathOf, test } = plan
  const sources = SOURCES[kind].map((each) => {
    const path = pathOf(each)
    return { path, text: adapt(read(`src/sample-name-${each}.ts`), path, plan) }
  })
  const path = test.pathOf(pathOf(kind))
  return [...sources, { path, text: adapt(read(`test/sample-name-${kind}.test.ts`), path, plan) }]
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
      /'[./]+(?:src\/)?sample-name-(\w+)\.js'/g,
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
