// node site/add-version.mjs: keeps the pages of this version before the next one replaces them.
//
// Run it on the commit of a release, before the version in package.json changes. It copies the pages, with the API reference, to
// `site/versions/<version>/`. From then on, each build has them in a folder of this name, and the menu of each page leads to it.
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeReference } from './reference.mjs'
import { stage } from './stage.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

/**
 * Copies pages to the folder of their version.
 *
 * @returns The new folder.
 * @throws Error if the version is kept already.
 */
export function keepVersion(pages, versions) {
  const { version } = JSON.parse(readFileSync(join(pages, 'contents.json'), 'utf8'))
  const folder = join(versions, version)
  if (existsSync(folder))
    throw new Error(`${folder} exists. Remove it first, to keep version ${version} again.`)
  cpSync(pages, folder, { recursive: true })
  return folder
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pages = join(here, '.cache/pages')
  stage(pages, makeReference())
  console.log(`Commit ${keepVersion(pages, join(here, 'versions'))}`)
}
