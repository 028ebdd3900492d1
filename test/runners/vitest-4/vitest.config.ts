import { blazon } from 'blazon/vite'
import { defineConfig } from 'vitest/config'

export default defineConfig({ plugins: [blazon()] })
