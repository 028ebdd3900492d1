import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from './finding.js'
import { finding } from './finding.js'
import { findInstalled, type Installed, majorOf } from './installed.js'
import { listedPackages, type Project } from './project.js'
import { findIn, type Source, textOf } from './sources.js'

/** The first version that leaves standard decorators in its output. */
const KEEPS_DECORATORS = 8
const CONFIG = /^(vite|vitest)\.config\.[cm]?[jt]s$/
/** Plugins that compile decorators. */
const COMPILES = /\bblazon\/vite\b|\bswc\b|\bbabel\b/
/** A configuration for programs of Node, and not for pages of a browser. */
const FOR_NODE = /\bssr\b|\btest\s*:/

/** Finds configurations of Vite and Vitest without a plugin for standard decorators. */
export function checkVite(project: Project): Finding[] {
  const major = majorOf(findVite(project))
  if (major === null || major < KEEPS_DECORATORS) return []
  const configs = configsOf(project)
  const usesVitest = listedPackages(project).has('vitest')
  if (configs.length === 0) return usesVitest ? [unconfigured(project, major)] : []
  const isForVitest = ({ file }: Source) => /vitest\.config/.test(file)
  const hasOwn = configs.some(isForVitest)
  return configs
    .filter((each) => isForVitest(each) || (usesVitest && !hasOwn) || FOR_NODE.test(each.text))
    .filter(({ text }) => !COMPILES.test(text))
    .map((source) => keptByVite(source, major))
}

/** The Vite of Vitest, else that of the project. */
export function findVite({ root }: Project): Installed | null {
  const vitest = findInstalled('vitest', root)
  const ofVitest = vitest === null ? null : findInstalled('vite', vitest.folder)
  return ofVitest ?? findInstalled('vite', root)
}

function configsOf({ root }: Project): Source[] {
  return readdirSync(root)
    .filter((name) => CONFIG.test(name))
    .map((name) => join(root, name))
    .map((file) => ({ file, text: textOf(file) }))
}

const REMEDY =
  "npm install --save-dev esbuild, and write: import { blazon } from 'blazon/vite', plugins: [blazon()]."

function keptByVite(source: Source, major: number): Finding {
  return finding('E_DECORATORS_KEPT', {
    subject: 'plugins',
    place: findIn([source], /\bplugins\s*:|\bdefineConfig\s*\(|\bexport default\b/) ?? {
      file: source.file,
      line: null,
    },
    cause: `Vite ${major} leaves standard decorators in its output, and no plugin compiles them.`,
    remedy: REMEDY,
  })
}

function unconfigured({ manifest }: Project, major: number): Finding {
  return finding('E_DECORATORS_KEPT', {
    subject: 'vitest',
    place: manifest && { file: manifest.file, line: manifest.lineOf('vitest') },
    cause: `Vitest uses Vite ${major}, which leaves standard decorators in its output. There is no vitest.config.ts with a plugin that compiles them.`,
    remedy: REMEDY,
  })
}
