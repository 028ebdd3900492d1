import type { PackageManager } from './new-options.js'

/**
 * The words of the templates for npm, and their replacements for another package manager. They are replaced in this
 * order.
 */
type Words = readonly (readonly [npm: RegExp, other: string])[]

const PNPM: Words = [
  [/\bnpm ci\b/g, 'pnpm install --frozen-lockfile'],
  [/\bnpm prune --omit=dev\b/g, 'pnpm prune --prod'],
  [/\bpackage-lock\.json\b/g, 'pnpm-lock.yaml pnpm-workspace.yaml'],
  [/\bnpx /g, 'pnpm exec '],
  [/\bnpm /g, 'pnpm '],
  // Images of Node have npm, and since Node 25 no corepack.
  [/^RUN (?=pnpm install)/gm, 'RUN npm install --global pnpm@12 && '],
]

/** Yarn 4. */
const YARN: Words = [
  [/\bnpm ci\b/g, 'yarn install --immutable'],
  [/\bnpm prune --omit=dev\b/g, 'yarn workspaces focus --production'],
  [/\bpackage-lock\.json\b/g, 'yarn.lock .yarnrc.yml'],
  // .gitignore and .dockerignore: Yarn keeps the state of the installation there.
  [/^node_modules(\/?)$/gm, '.yarn$1\nnode_modules$1'],
  [/\bnpx /g, 'yarn '],
  [/\bnpm /g, 'yarn '],
  [/^RUN (?=yarn install)/gm, 'RUN npm install --global @yarnpkg/cli-dist@4 && '],
]

const WORDS: Readonly<Record<PackageManager, Words>> = { npm: [], pnpm: PNPM, yarn: YARN }

/** The text of a template with the commands of a package manager. */
export function withCommandsOf(pm: PackageManager, text: string): string {
  return WORDS[pm].reduce((adapted, [npm, other]) => adapted.replace(npm, other), text)
}

/** The file of settings that a package manager needs, by its name. */
export const SETTINGS: Readonly<Record<PackageManager, Readonly<Record<string, string>>>> = {
  npm: {},
  // Since version 11, pnpm fails where a package has a script about whose run nothing is decided.
  pnpm: {
    'pnpm-workspace.yaml':
      '# Whether the install scripts of packages run.\nallowBuilds:\n  esbuild: false\n',
  },
  // Yarn 4 keeps packages in archives by default, which the command `blazon` and compilers do not read.
  yarn: { '.yarnrc.yml': 'nodeLinker: node-modules\n' },
}
