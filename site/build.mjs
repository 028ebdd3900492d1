// npm run docs:build [-- --base <path>] [-- --out <folder>]: the site in .artifacts/site/, for any server of files.
//
// The pages of this state of the repository are at the base, those of an earlier version of `versions/` in a folder of its
// name. `--base /docs/` builds for a site that begins there. Nothing is read from a network.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { writeTexts } from './llms.mjs'
import { makeReference } from './reference.mjs'
import { root, stage } from './stage.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

/**
 * Builds a site.
 *
 * @param options `base`: the path at which it begins. `out`: its folder, which is replaced. `pages`: the pages of the newest
 * version. `versions`: the folder of the earlier versions.
 */
export function buildSite({ base, out, pages, versions }) {
  const current = { ...describe(pages), base, out, pages }
  const earlier = namesIn(versions).map((name) => {
    const folder = join(versions, name)
    return { ...describe(folder), base: `${base}${name}/`, out: join(out, name), pages: folder }
  })
  const all = [current, ...earlier]
  rmSync(out, { recursive: true, force: true })
  const list = JSON.stringify(all.map(({ version, base: place }) => ({ version, base: place })))
  for (const one of all) {
    run({ SITE_PAGES: one.pages, SITE_OUT: one.out, SITE_BASE: one.base, SITE_VERSIONS: list })
    writeTexts(one.pages, one.out)
  }
}

/** The folders of the earlier versions, the newest first. */
function namesIn(folder) {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory())
  return names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
}

function describe(pages) {
  return { version: JSON.parse(readFileSync(join(pages, 'contents.json'), 'utf8')).version }
}

/** One process for each version: VitePress keeps what it has read about pages. */
function run(variables) {
  const program = join(here, 'node_modules/vitepress/bin/vitepress.js')
  const env = { ...process.env, ...variables }
  const { status } = spawnSync(process.execPath, [program, 'build', here], {
    env,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0)
    throw new Error(`VitePress could not build the pages of ${variables.SITE_PAGES}: see above.`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      base: { type: 'string', default: '/' },
      out: { type: 'string', default: join(root, '.artifacts/site') },
    },
  })
  if (!/^\/(.*\/)?$/.test(values.base)) {
    console.error(
      `--base has to begin and end with a slash, such as /docs/. It is '${values.base}'.`,
    )
    process.exit(2)
  }
  const pages = join(here, '.cache/pages')
  stage(pages, makeReference())
  buildSite({ base: values.base, out: values.out, pages, versions: join(here, 'versions') })
  console.log(`The site is in ${relative(process.cwd(), values.out)}/`)
}
