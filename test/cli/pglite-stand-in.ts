import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { templateFile } from '../pglite-template.js'
import { root } from '../root.js'
import type { Project } from './project.js'

const FOLDER = join(root, 'node_modules/@electric-sql/pglite')

/** Installs PGlite in a project. Its new databases start as copies of an empty one, which saves the seconds of `initdb`. */
export async function installPglite(project: Project): Promise<void> {
  const real = (file: string) => JSON.stringify(pathToFileURL(join(FOLDER, 'dist', file)).href)
  const text = `
import { existsSync, readFileSync } from 'node:fs'
import { PGlite } from ${real('index.js')}

const create = PGlite.create
PGlite.create = (options) => {
  const isThere = options.dataDir !== undefined && existsSync(options.dataDir + '/PG_VERSION')
  if (isThere || options.fs || options.loadDataDir) return create(options)
  const template = readFileSync(${JSON.stringify(await templateFile())})
  return create({ ...options, loadDataDir: new Blob([template]) })
}
export * from ${real('index.js')}
`
  const place = 'node_modules/@electric-sql/pglite'
  project.write({
    [`${place}/package.json`]: {
      name: '@electric-sql/pglite',
      version: JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')).version,
      type: 'module',
      exports: {
        '.': './index.js',
        './basefs': './basefs.js',
        './package.json': './package.json',
      },
    },
    [`${place}/index.js`]: text,
    [`${place}/basefs.js`]: `export * from ${real('fs/base.js')}`,
  })
}
