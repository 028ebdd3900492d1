import Theme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'
import NotFound from './NotFound.vue'
import VersionMenu from './VersionMenu.vue'

export default {
  extends: Theme,
  Layout: () => h(Theme.Layout, null, { 'not-found': () => h(NotFound) }),
  enhanceApp({ app }) {
    app.component('VersionMenu', VersionMenu)
  },
}
