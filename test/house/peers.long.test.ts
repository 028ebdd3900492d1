import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PEER_FLOORS, type Peer } from '../../src/errors/peer-floor.js'
import { builtPackage } from '../cli/built-package.js'
import { Project } from '../cli/project.js'
import { root } from '../root.js'
import { PEER_USES, runUse } from './peer-uses.js'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const peers = Object.keys(PEER_FLOORS) as Peer[]

/** A version before the floor by one in the last number that is not 0: `6.0.0` gives `5.99.99`, `8.23.0` gives `8.22.99`. */
function before(floor: string): string {
  const numbers = floor.split('.').map(Number)
  const at = numbers.findLastIndex((number) => number > 0)
  return numbers.map((number, i) => (i < at ? number : i === at ? number - 1 : 99)).join('.')
}

describe('peer dependencies', () => {
  it('have a minimum version that package.json allows and the documentation states', () => {
    const table = readFileSync(join(root, 'docs/supply-chain.md'), 'utf8')
    for (const name of peers) {
      const range = manifest.peerDependencies[name]
      expect(table, name).toContain(`| \`${name}\` | \`${range}\` | ${PEER_FLOORS[name]} |`)
      expect(manifest.peerDependenciesMeta[name], name).toEqual({ optional: true })
      const [major = 0, minor = 0] = (/^>=(.*)$/.exec(range)?.[1] ?? '0').split('.').map(Number)
      const [floorMajor = 0, floorMinor = 0] = PEER_FLOORS[name].split('.').map(Number)
      expect(major * 1000 + minor, name).toBeLessThanOrEqual(floorMajor * 1000 + floorMinor)
    }
    expect(peers.length).toBeGreaterThan(10)
  })

  it('allow an installation together with older versions of pg and TypeORM', () => {
    expect(manifest.peerDependencies).toMatchObject({ pg: '>=8', typeorm: '>=0.3' })
  })
})

describe('an old peer dependency', () => {
  const needed = Object.keys(manifest.dependencies).filter((name) => !name.startsWith('@types/'))
  const project = new Project([...needed, 'superagent'])
  afterAll(() => project.remove())

  beforeAll(() => {
    // A copy, because Node would follow a link to the folder of all packages.
    for (const name of peers) {
      const folder = `old/${name.replace('/', '+')}`
      cpSync(builtPackage(), project.path(`${folder}/node_modules/blazon`), { recursive: true })
    }
  })

  /** Writes a package of that version, and the packages that the code loads before it. */
  function plant(name: Peer, version: string): string {
    const folder = `old/${name.replace('/', '+')}`
    const write = (peer: string, planted: string) =>
      project.write({
        [`${folder}/node_modules/${peer}/package.json`]: {
          name: peer,
          version: planted,
          main: 'main.js',
        },
        [`${folder}/node_modules/${peer}/main.js`]: 'module.exports = {}',
      })
    const { after, files = {} } = PEER_USES[name]
    write(name, version)
    if (after !== undefined) write(after, PEER_FLOORS[after])
    for (const [path, content] of Object.entries(files)) {
      project.write({ [`${folder}/${path}`]: content })
    }
    if (name === 'swagger-ui-dist')
      project.write({ [`${folder}/node_modules/${name}/swagger-ui-bundle.js`]: '' })
    return project.path(folder)
  }

  it.each(peers)('is refused below its minimum version: %s', async (name) => {
    const version = before(PEER_FLOORS[name])
    const use = PEER_USES[name]
    const text = await runUse(use, plant(name, version))
    expect(text).toContain(use.report ?? 'ConfigError: ')
    expect(text).toContain(`The installed version of ${name} is ${version}.`)
    expect(text).toContain(`The oldest supported version is ${PEER_FLOORS[name]}.`)
    expect(text).toContain(`npm install ${name}@latest`)
  })

  it('is accepted at its minimum version', async () => {
    const text = await runUse(PEER_USES.redis, plant('redis', PEER_FLOORS.redis))
    expect(text).not.toContain('The oldest supported version')
  })
})
