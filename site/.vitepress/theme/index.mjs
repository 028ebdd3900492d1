import Theme from 'vitepress/theme-without-fonts'
import './style.css'
import VersionMenu from './VersionMenu.vue'

export default {
  extends: Theme,
  enhanceApp({ app }) {
    app.component('VersionMenu', VersionMenu)
  },
}
