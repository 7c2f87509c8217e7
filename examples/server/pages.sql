-- What the pages of the shop ask the database for. A request is a page: all its statements, one
-- after the other. Those that change something take it back, so that a page always has the same
-- answer.

-- a customer logs in
SELECT id, name, mail FROM customer WHERE id = 137;
SELECT * FROM customer WHERE mail = 'C42@EXAMPLE.org';
SELECT name, json_value(settings, '$.theme'), json_extract(settings, '$.letters[1]')
    FROM customer WHERE id BETWEEN 40 AND 48;
SELECT day, state, (SELECT count(*) FROM line WHERE line.sale = sale.id)
    FROM sale WHERE customer = 203 ORDER BY day DESC;

-- a kind of products
WITH RECURSIVE up(id, parent, name, depth) AS (
    SELECT id, parent, name, 0 FROM kind WHERE id = 29
    UNION ALL
    SELECT k.id, k.parent, k.name, depth + 1 FROM kind k JOIN up ON k.id = up.parent)
    SELECT group_concat(name ORDER BY depth DESC SEPARATOR ' / ') FROM up;
SELECT name, price, stock FROM product WHERE kind = 7 ORDER BY price LIMIT 10;
SELECT p.id, p.name, avg(r.stars), count(r.id) FROM product p LEFT JOIN review r ON r.product = p.id
    WHERE p.kind = 9 GROUP BY p.id HAVING avg(r.stars) > 2 ORDER BY 3 DESC, p.id LIMIT 5;
SELECT name, price, rank() OVER w, percent_rank() OVER w
    FROM product WHERE kind = 5 AND price < 50 WINDOW w AS (ORDER BY price DESC);

-- a search
SELECT id, name FROM product
    WHERE match (about) AGAINST ('+wooden +gardens' IN BOOLEAN MODE) ORDER BY id LIMIT 5;
SELECT name FROM product WHERE id < 60 AND about REGEXP 'blue.*(winters|offices)' LIMIT 4;
SELECT name FROM customer
    WHERE name LIKE 'Nor%' AND since BETWEEN '2020-02-01' AND '2020-12-31' ORDER BY name, id LIMIT 8;

-- a product
SELECT p.name, k.name, p.price * 1.19
    FROM product p JOIN kind k ON k.id = p.kind WHERE p.id IN (3, 77, 191, 402, 555);
SELECT stars, text, name FROM review JOIN customer ON customer.id = review.customer
    WHERE product = 22 ORDER BY review.id;
SELECT DISTINCT other.product FROM line JOIN line other ON other.sale = line.sale
    WHERE line.product = 22 AND other.product <> 22 ORDER BY 1 LIMIT 5;
SELECT json_arrayagg(json_object('id', id, 'name', name, 'price', price))
    FROM product WHERE kind = 12 AND price < 40;

-- the basket
PREPARE chosen FROM 'SELECT name, price FROM product WHERE kind = ? AND price > ?
    ORDER BY price LIMIT 2';
EXECUTE chosen USING 6, 20;
EXECUTE chosen USING 9, 40;
DEALLOCATE PREPARE chosen;
START TRANSACTION;
INSERT INTO sale (id, customer, day) VALUES (100001, 17, '2023-12-24' + INTERVAL 1 DAY);
INSERT INTO line VALUES (100001, 20, 2, 5.5), (100001, 41, 1, 7);
SELECT total FROM turnover WHERE sale = 100001;
SELECT stock FROM product WHERE id IN (20, 41);
ROLLBACK;

-- a sale and what became of it
SELECT p.name, l.amount, l.price, l.amount * l.price AS sum
    FROM line l JOIN product p ON p.id = l.product WHERE l.sale = 811;
SELECT total FROM turnover WHERE sale = 321;
START TRANSACTION;
UPDATE sale SET state = 'sent' WHERE customer = 33 AND state = 'paid';
SELECT row_count();
DELETE FROM sale WHERE id = 34;
SELECT count(*) FROM line WHERE sale = 34;
ROLLBACK;

-- the account of a customer
SELECT c.name, sum(l.amount * l.price), group_concat(DISTINCT k.name ORDER BY k.name)
    FROM customer c JOIN sale s ON s.customer = c.id JOIN line l ON l.sale = s.id
    JOIN product p ON p.id = l.product JOIN kind k ON k.id = p.kind WHERE c.id = 411 GROUP BY c.id;
SELECT json_set(json_remove(settings, '$.letters[0]'), '$.theme', 'blue',
    '$.seen', json_array(1, 2.5, null, 'x')) FROM customer WHERE id = 88;
SELECT concat_ws('-', upper(substr(name, 1, 3)), lpad(id, 5, '0'), quote(mail))
    FROM customer WHERE town = 12;
START TRANSACTION;
INSERT INTO customer VALUES (77, 'Ada', 'c77@example.org', 1, '2024-01-01', '{}')
    ON DUPLICATE KEY UPDATE name = value(name), since = greatest(since, value(since));
SELECT * FROM customer WHERE id = 77;
ROLLBACK;

-- shops nearby
SELECT name, country, st_astext(place), round(st_distance(place, point(30, 30)), 2) AS far FROM town
    WHERE mbrcontains(st_geomfromtext('POLYGON((20 10, 40 10, 40 60, 20 60, 20 10))'), place)
    ORDER BY far;
SELECT a.name, b.name, abs(st_x(a.place) - st_x(b.place)) AS distance
    FROM town a, town b WHERE a.id = 17 AND b.id <> 17 ORDER BY distance, b.id LIMIT 3;
START TRANSACTION;
SAVEPOINT before_all;
DELETE FROM review WHERE stars < 3 AND product BETWEEN 10 AND 15;
ROLLBACK TO before_all;
UPDATE town SET name = concat(name, '!') WHERE id = 9;
SELECT name FROM town WHERE id = 9;
ROLLBACK;

-- what the owner looks at
SELECT date_format(day, '%Y-%m') AS month, count(*)
    FROM sale WHERE customer < 20 GROUP BY month HAVING count(*) > 1 ORDER BY month;
SELECT state, count(DISTINCT customer), avg(datediff('2024-01-01', day))
    FROM sale WHERE id < 80 GROUP BY state;
SELECT customer, day, row_number() OVER (PARTITION BY customer ORDER BY day) AS n,
    lag(day) OVER (PARTITION BY customer ORDER BY day) FROM sale WHERE customer BETWEEN 50 AND 54;
SELECT id, sum(price) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)
    FROM product WHERE id BETWEEN 300 AND 312;
WITH best AS (
    SELECT customer, sum(amount * price) AS total FROM sale JOIN line ON line.sale = sale.id
    WHERE sale.id < 40 GROUP BY customer ORDER BY 2 DESC LIMIT 5)
    SELECT c.name, best.total, dense_rank() OVER (ORDER BY best.total DESC)
    FROM best JOIN customer c ON c.id = best.customer;

-- letters to customers
SELECT c.id, j.letter FROM customer c,
    json_table(c.settings, '$.letters[*]' COLUMNS (letter INT PATH '$')) j WHERE c.id IN (9, 19, 29);
SELECT c.name, t.name FROM customer c JOIN town t ON t.id = c.town
    WHERE EXISTS (SELECT 1 FROM sale s
        WHERE s.customer = c.id AND s.state = 'paid' AND s.day > '2023-11-01') AND c.id < 30;
SELECT 'sale', id, day FROM sale WHERE customer = 7
    UNION ALL SELECT 'review', id, text FROM review WHERE product = 7 ORDER BY 2;

-- prices and stock
SELECT CASE WHEN price < 10 THEN 'low' WHEN price < 50 THEN 'middle' ELSE 'high' END AS class,
    count(*), sum(stock) FROM product WHERE kind < 4 GROUP BY class;
SELECT coalesce(k.parent, -1), count(*), max(if(p.stock > 9990, p.price, 0))
    FROM kind k LEFT JOIN product p ON p.kind = k.id WHERE k.id BETWEEN 2 AND 4 GROUP BY k.parent;
SELECT id FROM product WHERE kind = 3
    EXCEPT SELECT product FROM line WHERE sale < 40 ORDER BY 1 LIMIT 10;
START TRANSACTION;
UPDATE product JOIN kind k ON k.id = product.kind
    SET price = price * 1.1, stock = stock + k.id WHERE k.id = 8 AND product.id < 300;
SELECT sum(price), sum(stock) FROM product WHERE kind = 8;
ROLLBACK;

-- reviews
SELECT product FROM line WHERE sale = 5 UNION (SELECT product FROM review WHERE product < 5
    INTERSECT SELECT id FROM product WHERE price > 20 AND id < 20);
START TRANSACTION;
INSERT INTO review SELECT 5000 + id, id, 3, 1 + id % 5, concat('as ', name)
    FROM product WHERE kind = 2 AND id < 300;
SELECT stars, count(*) FROM review WHERE id > 5000 GROUP BY stars;
ROLLBACK;
SELECT c.name, p.name FROM customer c JOIN sale s ON s.customer = c.id
    JOIN line l ON l.sale = s.id JOIN product p ON p.id = l.product
    JOIN kind k ON k.id = p.kind WHERE c.mail = 'c1@example.org' AND k.parent = 4 ORDER BY p.id;
