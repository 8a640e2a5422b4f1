/** The words of selling: the form of an ad, its pictures, and one's own ads. */
import { addMessages } from '../i18n';
import de from '../i18n/selling/de.json';
import en from '../i18n/selling/en.json';
import ru from '../i18n/selling/ru.json';

addMessages({ de, en, ru });
