import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/things.css';
import '../styles/shell.css';
import '../styles/controls.css';
import '../styles/forms.css';
import '../styles/pages.css';
import '../styles/lists.css';
import '../styles/results.css';
import '../styles/ad.css';
import '../styles/post.css';
import '../styles/review.css';
import { language, loadMessages } from '../i18n';

// Words and pages come at the same time. Without the words of the language, those in English are shown.
const words = loadMessages(language.peek()).catch(() => undefined);
const { start } = await import('./main');
await words;
start();
