import module from 'node:module'
import { loadSync, resolveSync } from './hooks.js'

if ('registerHooks' in module) module.registerHooks({ resolve: resolveSync, load: loadSync })
else module.register('./hooks.js', import.meta.url)
process.setSourceMapsEnabled(true)
