import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProjectFacts, Template } from './new-options.js'
import { SETTINGS, withCommandsOf } from './package-managers.js'
import { withJobs } from './with-jobs.js'

/** The folders whose files a template consists of. A later one replaces files of an earlier one. */
const FOLDERS: Readonly<Record<Template, readonly string[]>> = {
  minimal: ['common', 'minimal'],
  service: ['common', 'container', 'service'],
  saas: ['common', 'container', 'saas'],
}

/** The name of the project in the files of the templates. */
const NAME = 'project-name'

/** The files of a template by path, with forward slashes, for a project with these facts. */
export function readTemplate(facts: ProjectFacts): Map<string, string> {
  const files = new Map<string, string>()
  for (const folder of [...FOLDERS[facts.template], ...(facts.jobs ? ['saas-jobs'] : [])]) {
    for (const [path, text] of filesIn(folder))
      files.set(nameOf(path), adapt(path, withJobs(path, text, facts), facts))
  }
  if (facts.test === 'node') files.delete('vitest.config.ts')
  copyMigrations(files)
  for (const [path, text] of Object.entries(SETTINGS[facts.pm])) files.set(path, text)
  return files
}

/** The image of a project with migrations has them, too: beside the compiled code, where the application finds them. */
function copyMigrations(files: Map<string, string>): void {
  const text = files.get('Dockerfile')
  if (text === undefined || ![...files.keys()].some((path) => path.startsWith('migrations/')))
    return
  const line = /^COPY --from=build \/app\/dist .*\n/m
  files.set('Dockerfile', text.replace(line, '$&COPY --from=build /app/migrations ./migrations\n'))
}

function* filesIn(folder: string): Generator<[path: string, text: string]> {
  const root = join(fileURLToPath(new URL('../../../templates', import.meta.url)), folder)
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(root, name)
    if (statSync(path).isFile()) yield [name.replaceAll('\\', '/'), readFileSync(path, 'utf8')]
  }
}

/** npm leaves out `.gitignore` when it packs, so hidden files begin with an underscore. */
function nameOf(path: string): string {
  return path.replace(/(^|\/)_/, '$1.')
}

/** The templates are real files: standard decorators, Vitest and npm. Everything else is a replacement. */
function adapt(path: string, text: string, { name, decorators, test, pm }: ProjectFacts): string {
  let adapted = text.replaceAll(NAME, name)
  if (path === 'tsconfig.json' && decorators === 'legacy') {
    adapted = adapted.replace('"experimentalDecorators": false', '"experimentalDecorators": true')
  }
  if (path.endsWith('.test.ts') && test === 'node') {
    adapted = adapted
      .replace("from 'vitest'", "from 'node:test'")
      .replaceAll(/\b(after|before)All\b/g, '$1')
  }
  return /\.tsx?$/.test(path) ? adapted : withCommandsOf(pm, adapted)
}
